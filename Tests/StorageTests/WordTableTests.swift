import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("words in memory")
struct WordTableTests {
    let folder = TemporaryFolder()

    @Test("a batch of more known words than half of the memory drives out no others")
    func manyKnown() throws {
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        let many = WordTable.capacity / 2 + 1
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(many))
                    INSERT INTO attribute_key (text) SELECT 'k' || i FROM n;
                    INSERT INTO app_attribute_key (app, attribute_key)
                    SELECT 1, id FROM attribute_key
                    """)
            }
        }
        let texts = (1...many).map { "k\($0)" }
        var table = try WordTable(.attributeKey, on: try store.reader())
        var few = WordCodes()
        _ = try table.lookUp(Array(texts[..<100]), of: 1, into: &few, until: Deadline.never)
        let keptOfFew = table.kept
        #expect(few.fresh.isEmpty && keptOfFew == 100)
        var all = WordCodes()
        _ = try table.lookUp(texts, of: 1, into: &all, until: Deadline.never)
        let keptOfAll = table.kept
        #expect(all.count == many && all.fresh.isEmpty && keptOfAll == 100)
        try store.close()
    }
}
