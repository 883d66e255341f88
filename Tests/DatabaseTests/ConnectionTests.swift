import StoreTestSupport
import Testing

@testable import Database

@Suite("connections")
struct ConnectionTests {
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
