import Database
import SQLiteFiles
import Sealing
import Storage

/// Brings a data directory back from a backup. Nothing gets its name before it is checked, and the
/// database last of all: a directory in which a restore ended early has none.
package struct Restore {
    /// What was done.
    package struct Outcome: Sendable {
        package let manifest: BackupManifest
        /// Devices that were erased again; nil where the first start does that, since it needs the master
        /// key to bring the schema up to date first.
        package let erased: Int?
        /// Where the master key has to be brought, before anything can be done with the data; nil if it
        /// is there.
        package let missingKey: String?
    }

    /// Receipts of erasures that are held at once: each takes up to 120 bytes.
    private static let maxReceipts = 1 << 23

    private let backup: String
    private let options: Store.Options

    /// - Parameters:
    ///   - backup: the folder that `Backup` made
    ///   - options: where it is to go
    package init(from backup: String, to options: Store.Options) {
        self.backup = backup
        self.options = options
    }

    private var directory: DataDirectory { options.directory }

    /// - Parameter step: gets how many bytes of the database are copied, and of how many
    /// - Throws: `inUse`, `databaseThere`, `badBackup`, and what may be wrong with the key. A directory
    ///   that it made is then gone again.
    package func run(
        step: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StorageError) -> Outcome {
        let wasThere = try FileSystem.status(of: directory.path) != nil
        try directory.create()
        let lock = try directory.lock()
        do throws(StorageError) {
            return try run(holding: lock, step)
        } catch {
            if !wasThere { removeDirectory(holding: lock) }
            throw error
        }
    }

    /// As far as nothing else came into it meanwhile. The lock's file may go, because its directory does.
    private func removeDirectory(holding lock: borrowing DirectoryLock) {
        for path in [draftOfErased, directory.erased, directory.lockFile] {
            try? FileSystem.remove(path)
        }
        try? FileSystem.removeDirectory(directory.path)
    }

    private var draftOfErased: String { directory.erased + ".new" }

    private func run(
        holding lock: borrowing DirectoryLock, _ step: (Int, Int) -> Void
    ) throws(StorageError) -> Outcome {
        // A link that points nowhere is there, too.
        var isThere = try FileSystem.entry(at: directory.database) != nil
        if !isThere { isThere = try directory.hasDatabase() }
        if isThere { throw .databaseThere(path: directory.database) }
        let manifest = try BackupManifest.read(in: backup)
        try checkFiles(manifest)
        let keyPath = try keyToCheck(manifest)
        let path = directory.unfinishedDatabase
        do throws(StorageError) {
            try checkSmallFiles(manifest)
            try copyDatabase(manifest, to: path, step)
            let erased = try prepare(path, keyPath: keyPath, manifest)
            try placeKey(manifest)
            try FileSystem.remove(directory.walCopy)
            try FileSystem.rename(path, to: directory.database)
            try FileSystem.syncDirectory(directory.path)
            return Outcome(
                manifest: manifest, erased: erased,
                missingKey: keyPath == nil ? options.keyPath : nil)
        } catch {
            try? directory.removeUnfinishedDatabase()
            throw error
        }
    }

    private func path(_ file: BackupManifest.File) -> String { backup + "/" + file.rawValue }

    /// Where the key lies that is to fit, nil if there is none: the one that is there must be the
    /// backup's.
    private func keyToCheck(_ manifest: BackupManifest) throws(StorageError) -> String? {
        let isThere = try FileSystem.status(of: options.keyPath) != nil
        guard manifest.hasKey else { return isThere ? options.keyPath : nil }
        guard isThere else { return path(.masterKey) }
        guard
            try MasterKey.contents(of: options.keyPath)
                == MasterKey.contents(of: path(.masterKey))
        else { throw .keyOfAnother(path: options.keyPath, database: path(.database)) }
        return options.keyPath
    }

    /// Each file that the manifest names is there, a regular one and as long as it says, before a byte of any is
    /// taken: no pipe is waited for, and nothing copied that is longer.
    private func checkFiles(_ manifest: BackupManifest) throws(StorageError) {
        for file in BackupManifest.File.allCases {
            guard let wanted = manifest.files[file] else { continue }
            guard let status = try FileSystem.status(of: path(file)) else {
                throw .badBackup(path: backup, found: "\(file.rawValue) is missing")
            }
            let kind = FileKind(status)
            guard kind == .regular else {
                throw .badBackup(path: path(file), found: "it is \(kind.rawValue)")
            }
            guard Int(status.st_size) == wanted.bytes else {
                throw .badBackup(
                    path: path(file),
                    found: "it has \(status.st_size) bytes, and the manifest says \(wanted.bytes)")
            }
        }
    }

    private func checkSmallFiles(_ manifest: BackupManifest) throws(StorageError) {
        for file in [BackupManifest.File.erased, .masterKey] {
            guard let wanted = manifest.files[file] else { continue }
            try check(try FileDigest.read(path(file), limit: wanted.bytes), wanted, file)
        }
    }

    private func copyDatabase(
        _ manifest: BackupManifest, to copy: String, _ step: (Int, Int) -> Void
    ) throws(StorageError) {
        guard let wanted = manifest.files[.database] else { return }
        try directory.removeUnfinishedDatabase()
        let file = try FileSystem.create(copy)
        let found = try FileDigest.read(
            self.path(.database), limit: wanted.bytes
        ) { (bytes, offset) throws(StorageError) in
            try file.write(bytes, at: offset)
            step(offset + bytes.count, wanted.bytes)
        }
        try check(found, wanted, .database)
        try file.sync()
    }

    private func check(
        _ found: FileDigest, _ wanted: FileDigest, _ file: BackupManifest.File
    ) throws(StorageError) {
        if found == wanted { return }
        throw .badBackup(
            path: path(file), found: "it is not what the manifest's checksum was made of")
    }

    /// A member of the manifest with what the database has.
    private func compare(
        _ member: String, _ told: Int64, _ found: Int64
    ) throws(StorageError) {
        if told == found { return }
        throw .badBackup(
            path: backup + "/" + BackupManifest.name,
            found: "its \"\(member)\" is \(told), and the database has \(found)")
    }

    /// Checks the copy and erases again what receipts name. Where the schema cannot be brought up to
    /// date without the key, nothing of the database but its receipts' mark is touched: the start,
    /// which has the key, does both.
    private func prepare(
        _ path: String, keyPath: String?, _ manifest: BackupManifest
    ) throws(StorageError) -> Int? {
        let key = try keyPath.map { (keyPath) throws(StorageError) in
            try MasterKey.read(keyPath, of: self.path(.database))
        }
        let file = DatabaseFile(directory, keyPath: keyPath ?? options.keyPath)
        let (ran, missing): (Int, Int)
        do throws(StorageError) {
            (ran, missing) = try file.check(
                key: key, now: options.now(), at: .init(at: path, of: self.path(.database)))
        } catch {
            // The copy goes: it is the backup that is to blame.
            guard case .damaged(_, let found) = error else { throw error }
            throw .badBackup(path: self.path(.database), found: found)
        }
        let connection = try Connection(path: path, mode: .write, through: WALBuffer())
        try compare("schema", manifest.schema, Migrator().newest - Int64(ran + missing))
        try compare(
            "batches", manifest.batches, connection.integer("SELECT count(*) FROM batch") ?? 0)
        let all = try ErasureReceipts.merged(
            [self.path(.erased), directory.erased], atMost: Self.maxReceipts)
        guard let receipts = all else {
            throw .badBackup(
                path: self.path(.erased),
                found: "with \(directory.erased) it has more than \(Self.maxReceipts) receipts of "
                    + "erasures, which are as many as a gigabyte of memory holds")
        }
        // What happens from here on may be as much as has happened since the backup, and be another
        // thing: no answer's version may come again (docs/reports.md, Caching by ETag).
        try connection.transaction { () throws(StorageError) in
            try connection.setFact("restoration", RandomBytes.make(16))
            try connection.removeFact(Connection.engineMark)
        }
        let erased =
            missing > 0
            ? try Erasure.leaveToStart(on: connection)
            : try Erasure.replay(receipts, on: connection)
        connection.removeWALOnClose()
        try FileSystem.remove(draftOfErased)
        try ErasureReceipts.write(receipts, to: draftOfErased)
        try FileSystem.rename(draftOfErased, to: directory.erased)
        try FileSystem.open(path, 0).sync()
        return erased
    }

    /// Gives the backup's key its name, if none is there.
    private func placeKey(_ manifest: BackupManifest) throws(StorageError) {
        guard manifest.hasKey, try FileSystem.status(of: options.keyPath) == nil else { return }
        try MasterKey.place(MasterKey.contents(of: path(.masterKey)), at: options.keyPath)
    }
}
