import Foundation
import Testing

@testable import Storage

@Suite("a flipped bit is found, or changes nothing that is read")
struct BitFlipTests {
    /// Of the octets of cells, and of all others, one in so many: primes, so that flips fall everywhere.
    private static let strides = (cells: 53, others: 307)

    @Test("in every page of a small database")
    func everywhere() throws {
        let store = try VerifiedStore(batches: 40)
        let whole = try contents(of: store.database)
        let before = try dump(store)
        let layout = PageLayout(whole)
        let cells = layout.cellOctets
        let inCells = Set(cells)
        let others = (0..<whole.count).filter {
            !inCells.contains($0) && !layout.unread.contains($0)
        }
        #expect(cells.count > 15_000)
        for place in stride(from: 3, to: cells.count, by: Self.strides.cells).map({ cells[$0] }) {
            try flip(place, of: whole, store)
            #expect(
                isFound(store),
                "octet \(place % Connection.pageSize) of page \(place / Connection.pageSize + 1)")
        }
        for place in stride(from: 5, to: others.count, by: Self.strides.others).map({ others[$0] })
        {
            try flip(place, of: whole, store)
            if isFound(store) { continue }
            // What verify calls good must read as it did.
            #expect(try dump(store) == before, "octet \(place)")
        }
    }

    @Test("in every octet of the map of pages, and of the header but for two numbers")
    func mapAndHeader() throws {
        let store = try VerifiedStore(batches: 25)
        let whole = try contents(of: store.database)
        let pages = whole.count / Connection.pageSize
        // The map is the second page and tells of those behind it, in five octets each.
        let map = Connection.pageSize..<Connection.pageSize + 5 * (pages - 2)
        // Any number will do for the schema's version, and for that of the SQLite that wrote last.
        let header = Array(0..<40) + Array(44..<96)
        for place in header + Array(map) {
            try flip(place, of: whole, store)
            #expect(isFound(store), "octet \(place)")
        }
        try whole.write(to: URL(filePath: store.database))
        #expect(try store.verify().isGood)
    }

    @Test("a table that somebody has just made, of which the log alone has the map")
    func rootInLog() throws {
        let store = try VerifiedStore(batches: 25)
        let connection = try Connection(path: store.database, mode: .write)
        try connection.execute("CREATE TABLE notes(text)")
        #expect(try store.verify().findings == [])
        try connection.checkpoint(.truncate)
        #expect(try store.verify().findings == [])
    }

    private func flip(_ place: Int, of whole: Data, _ store: VerifiedStore) throws {
        var data = whole
        data[place] ^= 1 << UInt8(place % 8)
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(store.database + suffix) }
        try data.write(to: URL(filePath: store.database))
    }

    private func isFound(_ store: VerifiedStore) -> Bool {
        do {
            return try !store.verify().isGood
        } catch let error as StorageError {
            return error.kind == .badData || error.kind == .configuration
        } catch {
            return false
        }
    }

    /// Everything that can be read.
    private func dump(_ store: VerifiedStore) throws -> [String] {
        let connection = try Connection(path: store.database, mode: .read)
        var lines: [String] = []
        let tables = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        for table in tables {
            lines += try connection.rows("SELECT * FROM \"\(table)\"")
        }
        return lines
    }
}
