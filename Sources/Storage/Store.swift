import Database
import Dispatch
import Events
import Glibc
import SQLiteFiles
import Sealing
import Synchronization

/// A data directory, opened by the process that writes in it: locked, migrated, with its master key,
/// registry and writer. `close` ends it; a process that just ends loses nothing but the tidying up.
package final class Store: Sendable {
    /// What a store is opened with.
    package struct Options: Sendable {
        /// Where it lies.
        package var directory: DataDirectory
        /// Nil: `master.key` in the directory.
        package var masterKeyFile: String?
        /// How much the writer takes, holds and does at once.
        package var limits = StoreWriter.WriteLimits()
        /// Gets the writer's failures and commits.
        package var observer = WriterObserver()
        /// Told before an older schema is brought up to date: from which version, and to which.
        package var migrating: @Sendable (_ from: Int64, _ to: Int64) -> Void = { _, _ in }
        /// Milliseconds since 1970-01-01T00:00:00Z, for rows of the registry.
        package var now: @Sendable () -> Int64 = Store.wallClock
        /// How the store waits for readers of the WAL.
        package var polling = Polling.system

        /// Everything else at its default.
        package init(directory: DataDirectory, masterKeyFile: String? = nil) {
            self.directory = directory
            self.masterKeyFile = masterKeyFile
        }

        package var keyPath: String { masterKeyFile ?? directory.masterKey }
    }

    /// Where it lies.
    package let directory: DataDirectory
    /// Where the master key lies.
    package let keyPath: String
    /// From which the keys of device hashes and of the wrapping follow.
    package let masterKey: MasterKey
    /// The only writer.
    package let writer: StoreWriter
    /// What would become of batches that are not to be stored.
    package let dryRuns: DryRuns
    /// Apps, keys and tokens.
    package let registry: Registry
    /// How many migrations ran just now.
    package let migrated: Int
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let now: @Sendable () -> Int64
    /// What is known of the work beside the writer.
    package let upkeep: UpkeepState
    /// Nil once the store is closed.
    private let lock: Mutex<DirectoryLock?>

    /// Makes what is not there yet, brings the schema up to date and looks for damage. Where a reader
    /// blocks the WAL the store opens all the same; its writer is ready when the reader is gone.
    /// - Parameter catchUp: carries out, before the writer starts, what an earlier process promised and did not
    ///   get done; gets for how many milliseconds it may wait for readers of the WAL
    /// - Throws: `inUse` and everything that can be wrong with a data directory.
    package init(
        _ options: Options,
        catchingUp catchUp: (DataDirectory, _ patience: Int32) throws(StorageError) -> Void
    ) throws(StorageError) {
        directory = options.directory
        now = options.now
        keyPath = options.keyPath
        upkeep = UpkeepState(polling: options.polling)
        try directory.create()
        lock = Mutex(try directory.lock())
        let file = DatabaseFile(directory, keyPath: options.keyPath)
        if try directory.hasDatabase() {
            masterKey = try MasterKey.read(options.keyPath, of: directory.database)
            try DurableWAL(
                database: directory.database, wal: directory.wal, copy: directory.walCopy
            ).ensure()
        } else {
            masterKey = try MasterKey.readOrMake(options.keyPath, of: directory.database)
            try file.make(key: masterKey, now: options.now())
        }
        migrated =
            try file.check(key: masterKey, now: options.now(), begins: options.migrating).ran
        try catchUp(directory, options.limits.patienceAtStart)
        // Read by a connection of its own: a reader that blocks the WAL delays only the writer.
        let secrets = SecretWrapping(masterKey)
        let snapshot = try RegistrySnapshot.load(
            from: Connection(path: directory.database, mode: .read), version: 1, secrets: secrets)
        writer = StoreWriter(
            session: WriteSession(
                path: directory.database, key: masterKey, limits: options.limits),
            limits: options.limits, observer: options.observer)
        dryRuns = DryRuns(path: directory.database, limits: options.limits)
        try writer.start()
        registry = Registry(
            writer: writer,
            reader: { [path = directory.database] () throws(StorageError) in
                try Connection(path: path, mode: .read)
            }, secrets: secrets, snapshot: snapshot, now: options.now)
    }

    /// A new connection for reading; the caller lets one thread at a time use it.
    package func reader(cacheBytes: Int = 8 << 20) throws(StorageError) -> Connection {
        try Connection(path: directory.database, mode: .read, cacheBytes: cacheBytes)
    }

    /// When the newest stored batch arrived, milliseconds; nil without one.
    package func newestArrival() throws(StorageError) -> Int64? {
        try reader().newestArrival()
    }

    /// Writes what waits, closes the database and gives the lock back. Dry runs that wait are sent away.
    package func close() throws(StorageError) {
        defer { lock.withLock { $0 = nil } }
        // The last connection to close removes the WAL.
        dryRuns.close()
        try writer.close()
    }

    /// The system's clock.
    package static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Connection {
    /// Those of some apps among whose latest 10,000 batches one is of a profile.
    package func apps(
        _ apps: [Int64], withLatestBatchesOf profile: Profile
    ) throws(StorageError) -> Set<Int64> {
        let find = try prepare(
            """
            SELECT 1 FROM (SELECT profile FROM batch WHERE app = ?1 ORDER BY id DESC LIMIT 10000)
            WHERE profile = ?2 LIMIT 1
            """)
        var found: Set<Int64> = []
        for app in apps {
            try find.bind(1, app)
            try find.bind(2, Int64(profile.rawValue))
            if try find.step() { found.insert(app) }
            find.reset()
        }
        return found
    }

    /// When the newest stored batch arrived, milliseconds since 1970-01-01T00:00:00Z; nil without one.
    /// Rows follow arrival but for what overtook on the way to the writer: a thousand cover that.
    /// - Parameters:
    ///   - first: only later rows count
    ///   - last: only rows up to it
    package func newestArrival(
        after first: Int64 = 0, upTo last: Int64 = .max
    ) throws(StorageError) -> Int64? {
        let row = try prepare(
            """
            SELECT max(received_at) FROM (
                SELECT received_at FROM batch WHERE id > ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1000)
            """)
        try row.bind(1, first)
        try row.bind(2, last)
        return try row.step() ? row.optionalInt(0) : nil
    }
}

/// A data directory as a command sees it that only reads, while a server may be running on it.
package final class StoreReader: Sendable {
    /// Where it lies.
    package let directory: DataDirectory
    /// Opens the keys' secrets.
    package let masterKey: MasterKey

    /// Makes nothing, changes nothing, takes no lock.
    /// - Throws: `system` where there is no database, `startCutOff`, `olderSchema`, `newerSchema`, and what can be
    ///   wrong with the key.
    package init(directory: DataDirectory, masterKeyFile: String? = nil) throws(StorageError) {
        self.directory = directory
        let keyPath = masterKeyFile ?? directory.masterKey
        try Self.checkFiles(of: directory)
        masterKey = try MasterKey.read(keyPath, of: directory.database)
        try DatabaseFile(directory, keyPath: keyPath).checkForReading(key: masterKey)
    }

    /// Whether there is something to read.
    package static func checkFiles(of directory: DataDirectory) throws(StorageError) {
        guard try directory.hasDatabase() else {
            throw .system(operation: "open", path: directory.database, errno: ENOENT)
        }
        // It would take a partial WAL for a whole one, and keep the server from seeing the rest.
        if try FileSystem.status(of: directory.walCopy) != nil {
            throw .startCutOff(path: directory.walCopy)
        }
    }

    /// A new connection for reading; the caller lets one thread at a time use it.
    package func reader(cacheBytes: Int = 8 << 20) throws(StorageError) -> Connection {
        try Connection(path: directory.database, mode: .read, cacheBytes: cacheBytes)
    }

    /// Apps, keys and tokens at this moment.
    package func registry() throws(StorageError) -> RegistrySnapshot {
        try RegistrySnapshot.load(
            from: reader(), version: 1, secrets: SecretWrapping(masterKey))
    }
}
