import CLinux
import Glibc

/// No core file is ever written, since the memory holds raw device ids and keys (docs/operation.md,
/// Life of the process).
package enum CoreFiles {
    /// To be called before anything secret is read. Core files have no size from then on, and the process is
    /// one that nobody dumps: a handler of core files gets none either, whatever the limit is.
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
