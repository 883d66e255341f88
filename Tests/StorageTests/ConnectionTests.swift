import Testing

@testable import Database
@testable import Storage

@Suite("connections")
struct ConnectionTests {
    @Test("a reader cannot write")
    func readers() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        let reader = try store.reader()
        #expect(throws: StorageError.self) { try reader.execute("DELETE FROM app") }
        #expect(throws: StorageError.self) { try reader.execute("CREATE TEMP TABLE t (a)") }
        #expect(try reader.integer("SELECT count(*) FROM app") == 0)
    }

    @Test(
        "the writer is set as docs/design.md says",
        arguments: [
            ("journal_mode", "wal"), ("synchronous", "2"), ("page_size", "4096"),
            ("auto_vacuum", "2"), ("cache_size", "-65536"), ("mmap_size", "0"),
            ("secure_delete", "1"), ("trusted_schema", "0"), ("wal_autocheckpoint", "0"),
        ])
    func settings(_ pragma: String, _ value: String) throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        let found = try store.writer.perform { (connection) throws(StorageError) in
            let row = try connection.prepare("PRAGMA \(pragma)")
            return try row.step() ? row.text(0) : ""
        }
        #expect(found == value)
    }

    @Test("a transaction that throws leaves nothing")
    func rollBack() throws {
        let connection = try Connection(path: ":memory:", mode: .memory)
        try connection.execute("CREATE TABLE t (a) ")
        #expect(throws: StorageError.self) {
            try connection.transaction { () throws(StorageError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                throw .closed
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test("an interrupted query ends with an error, and the next one runs")
    func interrupts() throws {
        let connection = try Connection(path: ":memory:", mode: .memory)
        let endless = try connection.prepare(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        #expect(try endless.step() == true)
        connection.interrupt()
        #expect(failure { while try endless.step() {} } != nil)
        endless.reset()
        #expect(try connection.integer("SELECT 1") == 1)
    }
}
