import CSQLite
import Foundation
import StoreTestSupport
import Testing
import Upkeep

@testable import Database
@testable import Storage

@Suite("a damaged database is refused with 65 and left as it is (docs/operation.md)")
struct DamageTests {
    typealias Change = @Sendable (inout Data) -> Void

    /// What is done to the file of a closed database with a few batches.
    static let damages: [(String, Change)] = [
        ("emptied", { $0 = Data() }),
        ("the header's first octet", { $0[0] ^= 1 }),
        ("noughts", { $0 = Data(count: $0.count) }),
        ("half a file", { $0 = $0.prefix($0.count / 2 / 4096 * 4096) }),
        ("only the first page", { $0 = $0.prefix(4096) }),
        ("the last octet gone", { $0 = $0.dropLast() }),
        ("only its header", { $0 = $0.prefix(100) }),
        ("the schema page's type", { $0[100] = 0 }),
        (
            "a letter in the schema",
            { data in
                if let found = data.range(of: Data("first_batch_id TEXT".utf8)) {
                    data[found.lowerBound] ^= 4
                }
            }
        ),
        ("the header's kind of log", { $0[18] = 0x12 }),
        ("its count of changes", { $0[24] ^= 9 }),
        ("its first free page", { $0[32] ^= 1 }),
        ("its number of free pages", { $0[36] ^= 1 }),
        ("its format of the schema", { $0[44] ^= 1 }),
        ("its last root", { $0[52] ^= 1 }),
        ("its encoding", { $0[56] ^= 1 }),
        ("its reserve", { $0[80] ^= 1 }),
        ("something else", { $0 = Data("not a database, but long enough to look like one".utf8) }),
    ]

    @Test("what was done", arguments: damages.map(\.0))
    func refused(_ name: String) throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        for number in 0..<100 {
            #expect(store.writer.storeAlone(Batches.make("b-\(number)", device: number)) == .stored)
        }
        try store.close()
        let change = try #require(Self.damages.first { $0.0 == name }).1
        var data = try contents(of: folder.data.database)
        let whole = data
        change(&data)
        #expect(data != whole)
        try data.write(to: URL(filePath: folder.data.database))
        for _ in 0..<2 {
            do {
                _ = try Store.open(folder.options)
                Issue.record("it was opened")
            } catch {
                #expect(error.kind == .badData, "\(error)")
                #expect("\(error)".contains("bring back a backup"))
            }
            #expect(try contents(of: folder.data.database) == data)
        }
    }

    @Test(
        "a header that a person has changed is refused with the pragma that sets it back",
        arguments: ["user_version=7", "application_id=5", "auto_vacuum=FULL"])
    func changedHeader(_ pragma: String) throws {
        let store = try VerifiedStore(batches: 2)
        try store.change("PRAGMA \(pragma)")
        let error = try #require(failure { _ = try Store.open(store.folder.options) })
        #expect(error.kind == .badData && !error.description.contains("backup"))
        let name = try #require(pragma.split(separator: "=").first)
        let back = try #require(error.description.split(separator: "PRAGMA ").last)
        #expect(back.hasPrefix("\(name)="), "\(error)")
        #expect(
            try store.verify().findings.contains {
                $0.description.contains("is not as it was made: somebody changed its \(name)")
            })
        try store.change("PRAGMA \(back)")
        _ = try Store.open(store.folder.options)
    }

    @Test("a file that was vacuumed without its maps is told with what brings them back")
    func vacuumed() throws {
        let store = try VerifiedStore(batches: 2)
        try run("PRAGMA auto_vacuum=NONE; VACUUM", store)
        let error = try #require(failure { _ = try Store.open(store.folder.options) })
        #expect(
            error.description.hasSuffix(
                "somebody changed its auto_vacuum; set it back with PRAGMA auto_vacuum=INCREMENTAL; "
                    + "VACUUM"), "\(error)")
        let findings = try store.verify()
        #expect(findings.findings.count == 1 && !findings.needsBackup, "\(findings.findings)")
        try run("PRAGMA auto_vacuum=INCREMENTAL; VACUUM", store)
        _ = try Store.open(store.folder.options)
    }

    @Test(
        "a row that tells the key or a migration is damage where its checksum does not fit",
        arguments: [
            ("meta", "value = x'00'", "name = 'key_check'"),
            ("schema_migration", "sha256 = x'00'", "version = 1"),
        ])
    func rows(_ table: String, _ change: String, _ row: String) throws {
        let store = try VerifiedStore(batches: 2)
        let checked = try #require(CheckedTable(rawValue: table))
        let opens: [() throws -> Void] = [
            { _ = try Store.open(store.folder.options) },
            { _ = try StoreReader(directory: store.folder.data) },
        ]
        try store.change("UPDATE \(table) SET \(change) WHERE \(row)")
        for open in opens {
            let error = failure(open)
            #expect(error?.kind == .badData)
            #expect(error?.description.contains("is not what was written") == true)
        }
        // With its own checksum it is what a program has written.
        try store.change(checked.refresh(where: row))
        for open in opens { #expect(failure(open)?.kind == .configuration) }
    }

    @Test("a log without its database is damage too")
    func orphanedLog() throws {
        let folder = TemporaryFolder()
        try folder.data.create()
        try Data(repeating: 1, count: 100).write(to: URL(filePath: folder.data.database + "-wal"))
        do {
            _ = try Store.open(folder.options)
            Issue.record("it was opened")
        } catch {
            #expect(error.kind == .badData)
        }
    }

    @Test("what an operator adds is no damage")
    func additions() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(
                """
                CREATE TABLE notes (text TEXT UNIQUE); CREATE INDEX mine ON batch (received_at);
                CREATE UNIQUE INDEX notes_by_length ON notes (length(text)); ANALYZE
                """)
        }
        try store.close()
        try Store.open(folder.options).close()
    }

    /// What a stranger adds, and what it is called.
    static let strangers: [(String, String)] = [
        ("trigger back on token", ForeignSchema.trigger),
        (
            "trigger seen on v_events",
            """
            CREATE TRIGGER seen INSTEAD OF DELETE ON v_events BEGIN DELETE FROM event; END
            """
        ),
        ("view mine", "CREATE VIEW mine AS SELECT name FROM app"),
    ]

    @Test("a trigger or a view that is not ours is refused by its name", arguments: strangers)
    func foreign(_ name: String, _ sql: String) throws {
        let store = try VerifiedStore(batches: 2)
        try run(sql, store)
        let before = try contents(of: store.database)
        let opens: [() throws -> Void] = [
            { _ = try Store.open(store.folder.options) },
            { _ = try StoreReader(directory: store.folder.data) },
            { _ = try Verification(store.folder.data) },
        ]
        for open in opens {
            let error = failure(open)
            #expect(error?.kind == .badData)
            #expect(
                error?.description.contains("its \(name) is not sojourn's") == true,
                "\(String(describing: error))")
        }
        #expect(try contents(of: store.database) == before)
    }

    /// As the tool sqlite3 would.
    private func run(_ sql: String, _ store: VerifiedStore) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(store.database, &handle) == SQLITE_OK)
        try #require(
            sqlite3_exec(handle, sql + "; PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil)
                == SQLITE_OK)
    }
}
