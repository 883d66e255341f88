import Glibc
import Service

/// The limit of open files of a command that has many connections.
enum Descriptors {
    /// - Throws: `AdminFailure` where the system allows fewer.
    static func raise(for connections: Int) throws(AdminFailure) {
        let wanted = DescriptorLimit.wanted(for: connections)
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(resource, &limit)
        guard limit.rlim_cur < wanted else { return }
        throw AdminFailure(
            .unavailable,
            "only \(limit.rlim_cur) open files are allowed where --connections \(connections) needs "
                + "\(wanted); raise the limit (ulimit -n) or ask for fewer")
    }
}
