import Database
import Glibc
import SQLiteFiles

/// Where everything lies that the program keeps (docs/operation.md, The data directory): the names in
/// it and what may be said of it without opening the database.
package struct DataDirectory: Sendable {
    /// As given, without slashes at its end.
    package let path: String

    /// Touches nothing yet.
    package init(_ path: String) {
        // "data/" and "data" are one directory: no double slashes in messages.
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path.isEmpty ? "." : path
    }

    /// The SQLite file. Beside it stand SQLite's own `-wal` and `-shm`.
    package var database: String { path + "/sojourn.db" }
    /// The master key, unless a setting names another file.
    package var masterKey: String { path + "/master.key" }
    /// Where the running server takes commands.
    package var controlSocket: String { path + "/control.sock" }
    /// Locked by the process that writes; its content is that process's id.
    package var lockFile: String { path + "/sojourn.lock" }
    /// Receipts of erasures.
    package var erased: String { path + "/erased" }

    /// SQLite keeps it beside the file itself, should the database's name be a link to it.
    package var wal: String { file + "-wal" }
    /// The copy that `DurableWAL` keeps of the WAL while it rewrites it.
    package var walCopy: String { file + "-copy" }
    /// Where processes that have the database open agree.
    package var sharedMemory: String { file + "-shm" }
    private var file: String { FileSystem.resolved(database) ?? database }

    /// Ids of the processes that keep the WAL from being moved to the file: they read in an older state.
    package func processesHoldingWAL() throws(StorageError) -> [Int32] {
        let connection = try Connection(path: database, mode: .read, cacheBytes: 0)
        return try WALReaders(of: connection).processes()
    }

    /// A database in the making: it gets its name when its schema is whole and on disk.
    package var unfinishedDatabase: String { database + ".new" }

    /// Removes what an unfinished database has left.
    package func removeUnfinishedDatabase() throws(StorageError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try FileSystem.remove(unfinishedDatabase + suffix)
        }
    }

    /// Makes the directory, 0700, if it is not there.
    /// - Throws: `cannotCreate`.
    package func create() throws(StorageError) { try FileSystem.makeDirectory(path) }

    /// Whether there is a database, be it empty or damaged.
    /// - Throws: `damaged` where its WAL is there without it: it would corrupt a new database; `pointsNowhere` where
    ///   its name is a link without anything behind it, as before a disk is mounted.
    package func hasDatabase() throws(StorageError) -> Bool {
        if try FileSystem.status(of: database) != nil { return true }
        if try FileSystem.entry(at: database) != nil { throw .pointsNowhere(path: database) }
        if let status = try FileSystem.status(of: wal), status.st_size > 0 {
            throw .damaged(path: database, found: "it is missing, but its log \(wal) is there")
        }
        return false
    }

    /// Makes this process the one that writes here, until the lock goes.
    /// - Throws: `inUse` while another process is.
    package func lock() throws(StorageError) -> DirectoryLock { try DirectoryLock(self) }
}

/// The right to write in a data directory. Given back when it goes, also by a `kill -9`.
package struct DirectoryLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    /// - Throws: `inUse`, or why there cannot be a lock.
    init(_ directory: DataDirectory) throws(StorageError) {
        let file = try Self.openFile(directory.lockFile)
        guard try file.lock() else {
            throw .inUse(directory: directory.path, process: try Self.process(in: file))
        }
        // Only for the message above; the lock is what counts, so a full disk does not matter.
        try? file.write(Array("\(getpid())\n".utf8))
        self.file = file
    }

    deinit { file.unlock() }

    /// The file stays when the lock goes: removing it would let two processes lock two files.
    private static func openFile(_ path: String) throws(StorageError) -> FileDescriptor {
        if try FileSystem.status(of: path) == nil {
            do throws(StorageError) {
                return try FileSystem.create(path)
            } catch {
                guard case .alreadyThere = error else { throw error }
            }
        }
        return try FileSystem.open(path, O_RDWR | O_NOFOLLOW)
    }

    private static func process(in file: borrowing FileDescriptor) throws(StorageError) -> Int32? {
        let text = String(decoding: try file.read(limit: 16), as: UTF8.self)
        return Int32(text.prefix { $0.isNumber })
    }
}
