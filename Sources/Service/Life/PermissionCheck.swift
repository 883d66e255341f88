import Logging
import Storage

/// Who besides the server's user may use what it keeps, looked at before any of it is read or made
/// (docs/operation.md, The data directory).
enum PermissionCheck {
    /// Warns of each path that more than its owner may use.
    /// - Throws: `AdminFailure` where any user of the machine may write the directory or the key
    static func run(_ settings: Settings, _ logger: Logger) throws(AdminFailure) {
        let guarded = DataDirectory(settings.data).guarded(masterKey: settings.guardedKey)
        if let refused = guarded.first(where: \.isRefused) {
            throw AdminFailure(.configuration, refused.description)
        }
        for access in guarded where access.isWarned { logger.warning("\(access.description)") }
    }
}
