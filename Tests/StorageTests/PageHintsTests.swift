import Database
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteFiles

@Suite("Hints of pages that will be read")
struct PageHintsTests {
    private let folder = TemporaryFolder()

    /// A database of one table, with rows of one page and of many.
    private func make(rows: Int) throws -> String {
        let path = folder.path + "/hints.db"
        _ = try FileSystem.create(path)
        let connection = try Connection(path: path, mode: .copy)
        try connection.execute(
            "PRAGMA page_size=4096; CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)")
        for row in 0..<rows {
            let lengths = (row % 5 * 3000, row % 3 * 9000)
            try connection.execute(
                """
                INSERT INTO t VALUES
                    (\(row * 3), \(row), zeroblob(\(lengths.0)), zeroblob(\(lengths.1)))
                """)
        }
        return path
    }

    private func pages(
        of path: String, _ hint: (inout PageHints) -> Void
    ) throws -> Set<Int> {
        let connection = try Connection(path: path, mode: .read)
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let found = PageSet()
        guard var hints = PageHints(connection, fetch: { found.insert($0) }) else {
            Issue.record("the file is not found")
            return []
        }
        hint(&hints)
        return found.pages
    }

    @Test(
        "of all rows up to the last column are all pages but inner ones",
        arguments: [1, 3, 40, 2000])
    func all(rows: Int) throws {
        let path = try make(rows: rows)
        let connection = try Connection(path: path, mode: .read)
        let count = try #require(try connection.integer("PRAGMA page_count"))
        let keys = try #require(try connection.integer("SELECT count(*) FROM t"))
        #expect(keys == Int64(rows))
        let leaves = try pages(of: path) { $0.hint(all: "t") }
        let found = try pages(of: path) { hints in
            hints.hint(rows: (0..<rows).map { Int64($0 * 3) }, of: "t", upTo: 3)
        }
        #expect(leaves.isSubset(of: found))
        // The first page, and inner ones: some hundred pages have one.
        #expect(found.count < Int(count) && found.count >= Int(count) - 2 - Int(count) / 100)
        #expect(found.allSatisfy { (2...Int(count)).contains($0) })
    }

    @Test("of a column are those up to it")
    func columns() throws {
        let path = try make(rows: 40)
        // Row 14: 12,000 bytes and 18,000.
        func count(upTo column: Int) throws -> Int {
            try pages(of: path) { $0.hint(rows: [14 * 3], of: "t", upTo: column) }.count
        }
        #expect(try count(upTo: 1) == 1)
        #expect((3...7).contains(try count(upTo: 2)))
        #expect((8...11).contains(try count(upTo: 3)))
        #expect(try pages(of: path) { $0.hint(rows: [1, -5, .max], of: "t", upTo: 3) }.count <= 3)
        #expect(try pages(of: path) { $0.hint(all: "none") }.isEmpty)
    }

    @Test("of a damaged file are wrong or none, never a trap", arguments: 0..<60)
    func damage(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let path = try make(rows: 200)
        let connection = try Connection(path: path, mode: .copy)
        let count = Int(try #require(try connection.integer("PRAGMA page_count")))
        let file = try FileSystem.open(path, 2)
        for _ in 0..<(1 + random.next(400)) {
            // The first page stays: without it SQLite itself finds nothing.
            let offset = 4096 + random.next((count - 1) * 4096)
            let start = random.next(2) == 0 ? offset / 4096 * 4096 + random.next(200) : offset
            try file.write([UInt8(truncatingIfNeeded: random.next() as UInt64)][...], at: start)
        }
        let found = try pages(of: path) { hints in
            hints.hint(all: "t")
            hints.hint(rows: (0..<200).map { Int64($0 * 3) }, of: "t", upTo: 3)
        }
        #expect(found.allSatisfy { (2...count).contains($0) })
    }
}

/// Pages that were hinted.
private final class PageSet {
    private(set) var pages: Set<Int> = []

    func insert(_ run: Range<Int>) { pages.formUnion(run) }
}
