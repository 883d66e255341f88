import CSQLite
import Foundation
import Testing

@testable import Storage

@Suite("a flipped bit is found, or changes nothing that is read")
struct BitFlipTests {
    /// One bit in each of these octets of each page: a prime, so that flips fall everywhere.
    private static let stride = 61

    @Test("in every page of a small database")
    func everywhere() throws {
        let store = try VerifiedStore(batches: 40)
        let whole = try contents(of: store.database)
        let before = try dump(store)
        var flips = 0
        var silent: [String: Int] = [:]
        var place = 3
        while place < whole.count {
            defer { place += Self.stride }
            var data = whole
            data[place] ^= 1 << UInt8(place % 8)
            try put(data, store)
            flips += 1
            if isFound(store) { continue }
            // What verify calls good must read as it did.
            let page = place / Connection.pageSize + 1
            silent["page \(page), octet \(place % Connection.pageSize)"] = place
            #expect(try dump(store) == before, "octet \(place) of page \(page)")
        }
        try put(whole, store)
        let used = usedCells(whole)
        let lost = silent.values.filter { place in used.contains { $0.contains(place) } }
        #expect(lost.isEmpty, "in cells: \(lost.sorted())")
        #expect(flips > 500)
        print(
            "bit flips: \(flips) tried, \(flips - silent.count) found, \(silent.count) in octets "
                + "that nothing reads, \(lost.count) in cells")
    }

    private func put(_ data: Data, _ store: VerifiedStore) throws {
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(store.database + suffix) }
        try data.write(to: URL(filePath: store.database))
    }

    private func isFound(_ store: VerifiedStore) -> Bool {
        do { return try !store.verify().isGood } catch { return true }
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

    /// Where the cells of leaves and inner pages lie: the file's layout (SQLite, Database File Format,
    /// §1.6), read without SQLite.
    private func usedCells(_ data: Data) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        for page in 0..<(data.count / Connection.pageSize) where page != 1 {
            let begin = page * Connection.pageSize
            let header = page == 0 ? begin + 100 : begin
            let kind = data[header]
            guard [2, 5, 10, 13].contains(kind) else { continue }
            let count = Int(data[header + 3]) << 8 | Int(data[header + 4])
            for cell in 0..<count {
                let at = header + (kind < 6 ? 12 : 8) + 2 * cell
                let start = begin + (Int(data[at]) << 8 | Int(data[at + 1]))
                cells.append(start..<end(ofCell: start, kind: kind, data))
            }
        }
        return cells
    }

    private func end(ofCell start: Int, kind: UInt8, _ data: Data) -> Int {
        var place = start
        func number() -> Int {
            var value = 0
            while true {
                let octet = data[place]
                place += 1
                value = value << 7 | Int(octet & 0x7f)
                if octet < 0x80 { return value }
            }
        }
        if kind == 2 || kind == 5 { place += 4 }
        if kind == 5 {
            _ = number()
            return place
        }
        let payload = number()
        if kind == 13 { _ = number() }
        let usable = Connection.pageSize
        let most = kind == 13 ? usable - 35 : (usable - 12) * 64 / 255 - 23
        // Of a payload that goes on in other pages at least this much is here.
        return place + (payload <= most ? payload : (usable - 12) * 32 / 255 - 23)
    }
}
