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
        let wanted = wanted(for: connections)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < wanted
        else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < wanted {
            logger.warning(
                "only \(limit.rlim_cur) descriptors are allowed where max-connections needs \(wanted); raise the limit (LimitNOFILE= in systemd) or lower the setting"
            )
        }
    }
}
