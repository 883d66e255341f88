import Storage

/// Who besides the server's user may use what it keeps, looked at before any of it is read or made
/// (docs/operation.md, The data directory).
enum PermissionCheck {
    /// - Returns: a line for each path that more than its owner may use: warnings, for when nothing else keeps
    ///   the server from starting, since an error is one line
    /// - Throws: `AdminFailure` where any user of the machine may write the directory or the key
    static func warnings(_ settings: Settings) throws(AdminFailure) -> [String] {
        let guarded = DataDirectory(settings.data).guarded(masterKey: settings.guardedKey)
        if let refused = guarded.first(where: \.isRefused) {
            throw AdminFailure(.configuration, refused.description)
        }
        return guarded.filter(\.isWarned).map(\.description)
    }
}
