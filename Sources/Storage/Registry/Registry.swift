import Database
import Sealing
import Synchronization

/// Apps, ingest keys and tokens: changes go through the writer, what is in force is a snapshot in
/// memory. Usable from any thread; changes wait for the writer.
package final class Registry: Sendable {
    let writer: StoreWriter
    /// Opens a connection that reads, for what need not keep the writer from its batches.
    let reader: @Sendable () throws(StorageError) -> Connection
    let secrets: SecretWrapping
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
    private let current: Mutex<RegistrySnapshot>
    private let currentVersion: Atomic<Int>
    /// Rows that changes made, where none is stored; nil where they are.
    private let rehearsal: Rehearsal?

    private final class Rehearsal: Sendable {
        let rows = Mutex<[RegistryRow]>([])
    }

    /// - Parameter snapshot: what is in force at the start.
    init(
        writer: StoreWriter, reader: @escaping @Sendable () throws(StorageError) -> Connection,
        secrets: SecretWrapping, snapshot: RegistrySnapshot, now: @escaping @Sendable () -> Int64
    ) {
        self.writer = writer
        self.reader = reader
        self.secrets = secrets
        self.now = now
        current = Mutex(snapshot)
        currentVersion = Atomic(snapshot.version)
        rehearsal = nil
    }

    /// One that stores nothing: each change is undone as soon as it is known what it makes.
    init(rehearsing registry: Registry) {
        writer = registry.writer
        reader = registry.reader
        secrets = registry.secrets
        now = registry.now
        let snapshot = registry.snapshot
        current = Mutex(snapshot)
        currentVersion = Atomic(snapshot.version)
        rehearsal = Rehearsal()
    }

    /// Rows that changes made, where none is stored.
    var rehearsed: [RegistryRow] { rehearsal?.rows.withLock { $0 } ?? [] }

    /// What is in force.
    package var snapshot: RegistrySnapshot { current.withLock { $0 } }

    /// The snapshot's version, for a holder that checks before each request: one atomic read.
    package var version: Int { currentVersion.load(ordering: .acquiring) }

    /// Carries out a change in a transaction on the writer. It counts when this returns.
    func change<T: Sendable>(
        _ work: @escaping @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try writer.perform { [self] (connection) throws(StorageError) in
            // On the writer, so that snapshots follow each other in the order of the changes. Before
            // the commit, so that what cannot be in force is not on disk either.
            let (result, next) = try transaction(connection) { () throws(StorageError) in
                let result = try work(connection)
                let next = try RegistrySnapshot.load(
                    from: connection, version: version + 1, secrets: secrets)
                return (result, next)
            }
            current.withLock { $0 = next }
            currentVersion.store(next.version, ordering: .releasing)
            return result
        }
    }

    private func transaction<T>(
        _ connection: Connection, _ work: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let rehearsal else { return try connection.transaction(work) }
        return try connection.snapshot { () throws(StorageError) in
            let before = try RegistryRow.all(on: connection)
            let result = try work()
            let changed = try RegistryRow.all(on: connection).filter { !before.contains($0) }
            rehearsal.rows.withLock { $0 += changed }
            return result
        }
    }

    /// Sets the checksum of a row that has just been written.
    static func seal(
        _ table: CheckedTable, _ name: String, _ connection: Connection
    ) throws(StorageError) {
        let update = try connection.prepare(table.refresh(where: "name = ?"))
        try update.bind(1, name)
        try update.run()
    }
}

/// Names of apps, keys and tokens.
package enum RegistryName {
    /// The longest, in bytes.
    package static let longest = 32

    /// Whether it is `[A-Za-z0-9_-]{1,32}` (docs/protocol.md, Endpoints).
    package static func isValid(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    static func check(_ name: String) throws(StorageError) {
        guard isValid(name) else {
            throw .invalid(value: name, rule: "a name is 1 to 32 of A-Z, a-z, 0-9, _ and -")
        }
    }

    /// A fresh one: a letter, so that no command takes it for an option, and 16 hex digits.
    static func make(_ letter: Character) -> String {
        "\(letter)\(Hex.encode(RandomBytes.make(8).span))"
    }
}
