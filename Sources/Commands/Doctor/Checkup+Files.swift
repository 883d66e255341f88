import Database
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

    /// What lies in the directory where the server wants a file or a socket of its own.
    /// - Throws: why it cannot be looked at
    func files() throws(StorageError) -> [CheckupResult] {
        var findings: [CheckupResult] = []
        for (path, wanted, advice) in [
            (
                directory.erased, FileKind.regular,
                "move it away, and bring back a backup's file erased"
            ),
            (directory.lockFile, .regular, "remove it, and the next start makes one"),
            (directory.controlSocket, .socket, "remove it, and start the server again"),
        ] {
            guard let entry = try FileSystem.entry(at: path) else { continue }
            var kind = FileKind(entry)
            // Receipts may lie elsewhere.
            if kind == .link, path == directory.erased, let there = try FileSystem.status(of: path)
            {
                kind = FileKind(there)
            }
            if kind == wanted { continue }
            findings.append(
                CheckupResult("files", .broken, "\(path) is \(kind.rawValue); \(advice)"))
        }
        guard findings.isEmpty else { return findings }
        return [
            CheckupResult("files", .ok, "receipts, lock and control socket are what they should be")
        ]
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
