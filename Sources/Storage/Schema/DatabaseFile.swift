import Database
import Glibc
import SQLiteFiles

/// The database file before anyone works with it: made, checked, migrated.
package struct DatabaseFile {
    private let directory: DataDirectory
    /// Where the master key was read, for messages.
    private let keyPath: String
    private let migrator: Migrator

    package init(_ directory: DataDirectory, keyPath: String, migrator: Migrator = Migrator()) {
        self.directory = directory
        self.keyPath = keyPath
        self.migrator = migrator
    }

    /// "SJRN", for `file` and for people.
    package static let applicationBytes = Array("SJRN".utf8)
    static let applicationID = applicationBytes.reduce(0) { $0 << 8 | Int($1) }
    /// What a migration keeps of the file in memory, and as much again of what it sorts.
    private static let cacheBytes = 64 << 20

    /// Makes a database under another name and gives it its own when it is whole and on disk: a
    /// `sojourn.db` that is empty or half made is therefore always damage.
    func make(key: MasterKey, now: Int64) throws(StorageError) {
        let path = directory.unfinishedDatabase
        try directory.removeUnfinishedDatabase()
        try FileSystem.remove(directory.wal)
        try FileSystem.remove(directory.walCopy)
        try FileSystem.remove(directory.sharedMemory)
        // SQLite gives its WAL and shared memory the mode of the file.
        _ = try FileSystem.create(path)
        try fill(path, key: key, now: now)
        try FileSystem.open(path, O_RDWR).sync()
        try FileSystem.rename(path, to: directory.database)
        try FileSystem.syncDirectory(directory.path)
    }

    private func fill(_ path: String, key: MasterKey, now: Int64) throws(StorageError) {
        let connection = try Connection(path: path, mode: .write, through: WALBuffer())
        try connection.configureNewFile()
        try connection.execute("PRAGMA application_id=\(Self.applicationID)")
        try migrator.migrate(connection, RepeatDigest(key), now: now)
        try connection.setFact("key_check", key.checkValue)
        try connection.checkpoint(.truncate)
        connection.removeWALOnClose()
    }

    /// A copy that is to become the database.
    package struct Copy {
        /// Where it lies for now.
        let path: String
        /// What it was made of, for messages: the copy goes again where it will not do.
        let source: String

        /// All of it as given.
        package init(at path: String, of source: String) {
            self.path = path
            self.source = source
        }
    }

    /// Looks for damage and another key, then brings the schema up to date.
    /// - Parameters:
    ///   - key: nil where it is not at hand: then nothing can be said of it, and the schema is brought as
    ///     far as it can be without
    ///   - copy: what is to become the database, if it does not have its name yet
    ///   - begins: called before migrations run, with the old and the new version; with many batches they take a
    ///     while
    /// - Returns: how many migrations ran, and how many are missing still.
    /// - Throws: `damaged`, `keyOfAnother`, `newerSchema`, `changedMigration`.
    package func check(
        key: MasterKey?, now: Int64, at copy: Copy? = nil,
        begins: (_ from: Int64, _ to: Int64) -> Void = { _, _ in }
    ) throws(StorageError) -> (ran: Int, missing: Int) {
        if copy == nil { try checkLength() }
        let connection = try Connection(
            path: copy?.path ?? directory.database, mode: .write, cacheBytes: Self.cacheBytes,
            through: WALBuffer())
        let version = try version(of: connection, called: copy?.source)
        if let key { try checkKey(key, connection, called: copy?.source) }
        // Before anything is written: what migrations change must not set a stranger's trigger off.
        try SchemaCheck(migrator: migrator.upTo(version), isCopy: copy != nil).run(on: connection)
        try connection.setJournalModeWAL()
        if key != nil, version < migrator.newest { begins(version, migrator.newest) }
        let ran = try migrator.migrate(connection, key.map { RepeatDigest($0) }, now: now)
        try checkHeader(connection, isCopy: copy != nil)
        return (ran, Int(migrator.newest - version) - ran)
    }

    /// For a command that only reads: everything but what would change the file.
    /// - Parameter key: nil where it is not at hand: then nothing can be said of it
    package func checkForReading(key: MasterKey?) throws(StorageError) {
        try checkLength()
        let connection = try Connection(path: directory.database, mode: .read)
        let version = try version(of: connection)
        if version < migrator.newest {
            throw .olderSchema(path: connection.path, version: version, known: migrator.newest)
        }
        try SchemaCheck(migrator: migrator).run(on: connection)
        if let key { try checkKey(key, connection) }
    }

    /// What `check` says of the header, without changing anything: `doctor` tells of it.
    /// - Throws: `damaged`, and what names the pragma that sets it back.
    package func checkHeaderForReading() throws(StorageError) {
        try checkHeader(Connection(path: directory.database, mode: .read))
    }

    private func version(
        of connection: Connection, called name: String? = nil
    ) throws(StorageError) -> Int64 {
        let version: Int64
        do throws(StorageError) {
            version = try migrator.check(connection, called: name)
        } catch {
            // A column that is not there: then its table is not what it was.
            guard case .database(_, _, _, let reason, _) = error, error.kind == .software else {
                throw error
            }
            throw damaged(reason)
        }
        if version == 0 { throw damaged("it is empty") }
        return version
    }

    private func checkKey(
        _ key: MasterKey, _ connection: Connection, called name: String? = nil
    ) throws(StorageError) {
        let row = try connection.prepare(
            "SELECT value, \(CheckedTable.meta.soundness) FROM meta WHERE name = 'key_check'")
        guard try row.step() else {
            throw damaged("it does not say which master key it was made with")
        }
        guard row.blob(0) == key.checkValue else {
            guard row.int(1) == 1 else {
                throw damaged("what it says of its master key is not what was written")
            }
            throw .keyOfAnother(path: keyPath, database: name ?? directory.database)
        }
    }

    /// SQLite compares the length with the header, but takes an empty file for a new
    /// database and fills up a page that was cut.
    private func checkLength() throws(StorageError) {
        guard let file = try FileSystem.status(of: directory.database) else { return }
        let kind = FileKind(file)
        guard kind == .regular else { throw damaged("it is \(kind.rawValue)") }
        if file.st_size == 0 { throw damaged("it is empty") }
        // A crash may cut a page that the WAL still has.
        let wal = try FileSystem.status(of: directory.wal)
        if (wal?.st_size ?? 0) == 0, Int(file.st_size) % Connection.pageSize != 0 {
            throw damaged("its last page is cut off")
        }
    }

    /// What SQLite would believe, and write on.
    private func checkHeader(
        _ connection: Connection, isCopy: Bool = false
    ) throws(StorageError) {
        let fault = try connection.snapshot { () throws(StorageError) -> FileHeader.Fault? in
            try FileHeader(of: connection)?.faults(
                on: connection, application: Self.applicationBytes
            ).first
        }
        guard let fault else { return }
        guard let remedy = fault.remedy else { throw damaged(fault.found) }
        // Its bytes are checked by the manifest's sums.
        if isCopy { throw damaged("\(fault.found) (\(remedy) \(SchemaCheck.whereItWasMade))") }
        throw .changedHeader(path: directory.database, found: fault.found, remedy: remedy)
    }

    private func damaged(_ found: String) -> StorageError {
        .damaged(path: directory.database, found: found)
    }
}
