import Database

/// What can go wrong with a data directory, its key, its schema and its registry.
extension StorageError {
    /// What a command can name.
    package enum Entity: String, Sendable {
        case app, key, token, device
    }

    /// Another process holds the directory's lock; its process id where the lock file has it.
    package static func inUse(directory: String, process: Int32?) -> StorageError {
        .other(
            Other(
                inUseName, .busy,
                "data directory \(directory) is in use"
                    + (process.map { " by process \($0)" } ?? "")
                    + "; stop that one or use another --data"))
    }

    private static let inUseName = "in use"

    /// Whether another process holds the directory: a server that can be asked instead. Of kind
    /// `busy` are also a database and a WAL that others block for longer than the timeout.
    package var isInUse: Bool { isOther(Self.inUseName) }

    /// The database has been closed: the process ends.
    package static let closed = StorageError.other(
        Other(closedName, .software, "the database is closed"))

    private static let closedName = "closed"

    /// Whether the database has been closed.
    package var isClosed: Bool { isOther(Self.closedName) }

    /// The database's name is a link, and nothing is where it points to: a new one would hide the one that was meant.
    static func pointsNowhere(path: String) -> StorageError {
        .other(
            Other(
                "points nowhere", .io,
                "cannot open \(path): it is a link that points nowhere; bring back what it points to, "
                    + "or remove the link"))
    }

    /// A start was cut off while it rewrote the WAL: only the next one can restore it.
    static func startCutOff(path: String) -> StorageError {
        .other(
            Other(
                "start cut off", .busy,
                "\(path) says that a start was cut off; start the server, and try again"))
    }

    /// A batch that breaks what the schema takes for granted: our own fault.
    package static func unstorable(rule: StaticString) -> StorageError {
        .other(Other("unstorable", .software, "a batch cannot be stored: \(rule)"))
    }
}

// MARK: - The schema

extension StorageError {
    /// A person has changed the file's header, and nothing is lost. `found` ends a sentence.
    static func changedHeader(path: String, found: String, remedy: String) -> StorageError {
        .other(
            Other("changed header", .badData, "\(path) is not as it was made: \(found); \(remedy)"))
    }

    static func newerSchema(path: String, version: Int64, known: Int64) -> StorageError {
        .other(
            Other(
                "newer schema", .configuration,
                "\(path) has schema \(version), this program knows \(known); use a newer program"))
    }

    /// A migration that has run has another text in this program.
    static func changedMigration(path: String, version: Int64) -> StorageError {
        .other(
            Other(
                "changed migration", .configuration,
                "\(path) was made by another text of migration \(version); "
                    + "use the program that made it"))
    }

    /// The schema is older than this program's and only `serve` or `migrate` may change it.
    static func olderSchema(path: String, version: Int64, known: Int64) -> StorageError {
        .other(
            Other(
                olderSchemaName, .configuration,
                "\(path) has schema \(version), this program needs \(known); run sojourn migrate"))
    }

    private static let olderSchemaName = "older schema"

    /// Whether the schema is older than this program's.
    package var isOlderSchema: Bool { isOther(Self.olderSchemaName) }
}

// MARK: - The master key

extension StorageError {
    package static func keyMissing(path: String, database: String) -> StorageError {
        .other(
            Other(
                "key missing", .configuration,
                "no master key at \(path), but \(database) was made with one; bring the key back"))
    }

    package static func keyMalformed(path: String) -> StorageError {
        .other(
            Other(
                "key malformed", .configuration,
                "\(path) is no master key: it must be exactly 32 octets; bring the right one back"))
    }

    package static func keyOfAnother(path: String, database: String) -> StorageError {
        .other(
            Other(
                "key of another", .configuration,
                "\(path) is not the master key \(database) was made with; bring the right one back")
        )
    }
}

// MARK: - The registry

extension StorageError {
    package static func notFound(_ entity: Entity, name: String) -> StorageError {
        .other(
            Other(
                "not found", .notFound,
                "no such \(entity.rawValue): \(name); see sojourn \(entity.rawValue) list"))
    }

    package static func exists(_ entity: Entity, name: String) -> StorageError {
        .other(
            Other(
                "exists", .exists,
                "\(entity.rawValue) \(name) exists already; choose another name"))
    }

    /// A value that the registry cannot hold. `rule` says what it must be.
    package static func invalid(value: String, rule: StaticString) -> StorageError {
        .other(Other("invalid", .usage, "'\(value)' will not do: \(rule)"))
    }
}
