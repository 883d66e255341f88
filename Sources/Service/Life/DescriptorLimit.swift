import Glibc
import Logging

/// The limit of open descriptors (docs/operation.md, Settings, `max-connections`).
enum DescriptorLimit {
    /// What the process needs besides connections: the database, listeners, reports.
    private static let others = 128

    /// - Parameter connections: of all listeners together
    static func raise(for connections: Int, _ logger: Logging.Logger) {
        let wanted = rlim_t(connections + others)
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
