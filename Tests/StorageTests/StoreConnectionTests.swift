import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("connections of a store")
struct StoreConnectionTests {
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
}
