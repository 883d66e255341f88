import Service
import Storage

/// Whose the files are, and who may look into them.
extension Checkup {
    func permissions() -> [CheckupResult] {
        let others = [
            directory.wal, directory.walCopy, directory.sharedMemory, directory.controlSocket,
            directory.lockFile, directory.erased,
        ]
        return Self.permissions(
            directory.guarded(
                masterKey: settings.guardedKey.map(WorkingFolder.absolute),
                password: settings.guardedPassword.map(WorkingFolder.absolute))
                + others.compactMap { FileAccess($0, .other) })
    }

    /// All of it is for the owner alone (docs/operation.md, The data directory).
    /// - Parameter files: the directory first; without it there is nothing to say
    static func permissions(_ files: [FileAccess]) -> [CheckupResult] {
        guard let folder = files.first, folder.role == .directory else { return [] }
        var findings: [CheckupResult] = []
        for file in files where !file.isPrivate {
            findings.append(
                CheckupResult(
                    "permissions", file.isRefused ? .broken : .warning, file.description))
        }
        for file in files where file.owner != folder.owner {
            findings.append(
                CheckupResult(
                    "permissions", .warning,
                    "\(file.path) is user \(file.owner)'s, and its directory user "
                        + "\(folder.owner)'s; chown it to the user who runs the server"))
        }
        if findings.isEmpty {
            findings.append(
                CheckupResult(
                    "permissions", .ok, "directory, database and keys are the owner's alone"))
        }
        return findings
    }

    /// Where the master key lies.
    private var keyPath: String {
        settings.masterKeyFile.map(WorkingFolder.absolute) ?? directory.masterKey
    }

    func masterKey() -> CheckupResult { Self.masterKey(at: keyPath, directory: directory.path) }

    /// Who copies the directory copies a key that lies in it, too.
    static func masterKey(at path: String, directory: String) -> CheckupResult {
        guard path.hasPrefix(directory + "/") else {
            return CheckupResult("master-key", .ok, "it lies apart from the database")
        }
        return CheckupResult(
            "master-key", .note,
            "it lies beside the database: who has a copy of the directory has both, and who has "
                + "none of the key loses all with it; keep a copy elsewhere, or set "
                + "master-key-file")
    }
}
