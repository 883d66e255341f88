import Database
import Storage

/// Makes a consistent copy of a data directory in an empty folder, while a server writes. The manifest
/// is written last and atomically, when everything else is on disk: a folder without one is what was
/// left of an attempt.
package struct Backup: Sendable {
    /// What is copied, and to where.
    package struct Options: Sendable {
        /// The folder; made if it is not there.
        package var target: String
        /// Whether the master key goes with it.
        package var withKey = false
        /// The program's version, for the manifest.
        package var program: String
        /// Milliseconds since 1970-01-01T00:00:00Z.
        package var now: Int64

        /// All of it as given.
        package init(target: String, withKey: Bool = false, program: String, now: Int64) {
            self.target = target
            self.withKey = withKey
            self.program = program
            self.now = now
        }
    }

    /// Pages that are copied at once, a megabyte of them.
    private static let pagesAStep: Int32 = 256

    private let directory: DataDirectory
    private let keyPath: String
    private let options: Options

    /// Of a store's data; it may go on writing.
    package init(of store: Store, _ options: Options) {
        directory = store.directory
        keyPath = store.keyPath
        self.options = options
    }

    /// - Parameter step: gets the part that is done, in bytes, after each megabyte; what it throws ends the
    ///   backup.
    /// - Throws: `backupInside`; `alreadyThere` where something is in the folder. What was made is then
    ///   removed again.
    package func run(
        step: (_ done: Int, _ total: Int) throws(StorageError) -> Void = { _, _ in }
    ) throws(StorageError) -> BackupManifest {
        // If the directory is lost, or moved away for a restore, the copy would go with it.
        if FileSystem.lies(options.target, within: directory.path) {
            throw .backupInside(path: options.target, directory: directory.path)
        }
        let wasThere = try FileSystem.status(of: options.target) != nil
        try FileSystem.makeDirectory(options.target)
        guard try FileSystem.isEmpty(options.target) else {
            throw .alreadyThere(path: options.target)
        }
        do throws(StorageError) {
            return try fill(step)
        } catch {
            for name in BackupManifest.File.allCases.map(\.rawValue) + [draft] {
                try? FileSystem.remove(path(name))
            }
            if !wasThere { try? FileSystem.removeDirectory(options.target) }
            throw error
        }
    }

    private var draft: String { BackupManifest.name + ".new" }

    private func path(_ name: String) -> String { options.target + "/" + name }

    private func fill(
        _ step: (Int, Int) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupManifest {
        let database = path(BackupManifest.File.database.rawValue)
        let file = try FileSystem.create(database)
        var manifest = try copyDatabase(to: database, file, step)
        try file.sync()
        let total = Int(try FileSystem.status(of: database)?.st_size ?? 0)
        manifest.files[.database] = try FileDigest.read(database) { (_, _) throws(StorageError) in
            try step(total, total)
        }
        // After the database: a receipt of a device that is still in the copy does no harm.
        manifest.files[.erased] = try copy(directory.erased, as: .erased)
        if options.withKey { manifest.files[.masterKey] = try copy(keyPath, as: .masterKey) }
        try FileSystem.syncDirectory(options.target)
        let text = try FileSystem.create(path(draft))
        try text.write(Array(manifest.text.utf8))
        try text.sync()
        try FileSystem.rename(path(draft), to: path(BackupManifest.name))
        try FileSystem.syncDirectory(options.target)
        try FileSystem.syncDirectory(FileSystem.parent(of: options.target))
        return manifest
    }

    private func copyDatabase(
        to path: String, _ file: borrowing FileDescriptor,
        _ step: (Int, Int) throws(StorageError) -> Void
    ) throws(StorageError) -> BackupManifest {
        let source = try Connection(path: directory.database, mode: .read, cacheBytes: 1 << 20)
        return try source.snapshot { () throws(StorageError) in
            let manifest = try describe(source)
            // What no restore would take.
            try SchemaCheck(version: manifest.schema).run(on: source)
            let target = try Connection(path: path, mode: .copy, cacheBytes: 1 << 20)
            let copy = try DatabaseCopy(from: source, to: target)
            while try copy.step(pages: Self.pagesAStep) {
                // The kernel's unwritten pages stay few, or the WAL's next sync would wait for them.
                try file.sync()
                let (done, total) = copy.progress
                try step(done * Connection.pageSize, total * Connection.pageSize)
            }
            return manifest
        }
    }

    /// What the state to be copied holds. The transaction begins here.
    private func describe(_ source: Connection) throws(StorageError) -> BackupManifest {
        let row = try source.prepare(
            """
            SELECT (SELECT max(version) FROM schema_migration), (SELECT count(*) FROM batch),
                (SELECT coalesce(sum(accepted - pruned), 0) FROM batch),
                (SELECT count(*) FROM device)
            """)
        guard try row.step() else { throw .damaged(path: source.path, found: "it is empty") }
        return BackupManifest(
            createdAt: options.now, program: options.program, schema: row.int(0),
            batches: row.int(1), events: row.int(2), devices: row.int(3))
    }

    /// A small file, synced; an empty one where there is none.
    private func copy(
        _ from: String, as file: BackupManifest.File
    ) throws(StorageError) -> FileDigest {
        let copy = try FileSystem.create(path(file.rawValue))
        if try FileSystem.status(of: from) != nil {
            _ = try FileDigest.read(from) { (bytes, offset) throws(StorageError) in
                try copy.write(bytes, at: offset)
            }
        }
        try copy.sync()
        return try FileDigest.read(path(file.rawValue))
    }
}
