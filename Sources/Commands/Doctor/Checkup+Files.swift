import Glibc
import Service

/// Whose the files are, and who may look into them.
extension Checkup {
    /// What `stat` tells of a file.
    struct FileFacts: Equatable {
        let path: String
        /// The permissions alone.
        let mode: UInt32
        let owner: UInt32

        /// Nil where there is none, or it cannot be looked at.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(path: path, mode: status.st_mode & 0o7777, owner: status.st_uid)
        }

        init(path: String, mode: UInt32, owner: UInt32) {
            self.path = path
            self.mode = mode
            self.owner = owner
        }
    }

    func permissions() -> [CheckupResult] {
        guard let folder = FileFacts(directory.path) else { return [] }
        let names = [
            directory.database, directory.log, directory.logCopy, directory.sharedMemory, keyPath,
            directory.controlSocket, directory.lockFile, directory.erased,
        ]
        return Self.permissions(folder: folder, files: names.compactMap(FileFacts.init))
    }

    /// All of it is for the owner alone (docs/operation.md, The data directory).
    static func permissions(folder: FileFacts, files: [FileFacts]) -> [CheckupResult] {
        var findings: [CheckupResult] = []
        for (file, wanted) in [(folder, "0700")] + files.map({ ($0, "0600") })
        where file.mode & 0o077 != 0 {
            findings.append(
                CheckupResult(
                    "permissions", .warning,
                    "\(file.path) has mode \(octal(file.mode)): others than its owner may use it; "
                        + "chmod \(wanted)"))
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

    /// `0640`.
    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
