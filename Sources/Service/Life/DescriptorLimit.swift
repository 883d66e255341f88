import CLinux
import Glibc
import Logging

/// The limit of open descriptors (docs/operation.md, Settings, `max-connections`).
package enum DescriptorLimit {
    /// What the process needs besides connections: the database, listeners, reports.
    private static let others = 128

    /// How many a server needs.
    /// - Parameter connections: of all listeners together
    package static func wanted(for connections: Int) -> rlim_t { rlim_t(connections + others) }

    /// - Parameter connections: of all listeners together
    static func raise(for connections: Int, _ logger: Logging.Logger) {
        if let shortage = raise(for: connections) {
            logger.warning(
                "only \(shortage.allowed) descriptors are allowed where max-connections needs \(shortage.wanted); raise the limit (LimitNOFILE= in systemd) or lower the setting"
            )
        }
    }

    /// Raises the limit as far as that is needed and allowed.
    ///
    /// - Returns: how many are allowed where more are wanted; nil where there are enough
    package static func raise(for connections: Int) -> (allowed: rlim_t, wanted: rlim_t)? {
        let wanted = wanted(for: connections)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < wanted
        else { return nil }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_cur < wanted ? (limit.rlim_cur, wanted) : nil
    }
}

/// No core file is ever written, since the memory holds raw device ids and keys (docs/operation.md,
/// Life of the process).
package enum CoreFiles {
    /// To be called before anything secret is read. Core files have no size from then on, and the
    /// process is one that nobody dumps: a handler of core files gets none either, whatever the limit
    /// is.
    /// - Throws: `AdminFailure` where the system refuses
    package static func forbid() throws(AdminFailure) {
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(core, &limit) == 0 || isForbidden(core), clinux_forbid_dumps() == 0 else {
            throw AdminFailure(
                .configuration,
                "cannot forbid core files: \(String(cString: strerror(errno)).lowercased()); "
                    + "set their limit to 0 (LimitCORE=0 in systemd)")
        }
    }

    /// A sandbox that keeps limits from being set may have set this one.
    private static func isForbidden(_ core: __rlimit_resource_t) -> Bool {
        var limit = rlimit()
        return getrlimit(core, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0
    }
}
