import CSQLite
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("a flipped bit is found, or changes nothing that is read", .tags(.long))
struct BitFlipTests {
    /// Of the bytes of cells, and of all others, one in so many: primes, so that flips fall everywhere.
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

    @Test("in every byte of the map of pages, and of the header but for two numbers")
    func mapAndHeader() throws {
        let store = try VerifiedStore(batches: 25)
        let whole = try contents(of: store.database)
        let pages = whole.count / Connection.pageSize
        // The map is the second page and tells of those behind it, in five bytes each.
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

    @Test("a root that is said to lie on a map of pages")
    func rootOnMap() throws {
        let store = try VerifiedStore(batches: 25)
        try run(
            "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'refusal'",
            store)
        var findings = Findings()
        try FixedBytesCheck(Connection(path: store.database, mode: .read)).run(&findings)
        #expect(findings.kept.contains { $0.fault.contains("refusal's root") })
    }

    @Test("a file from which somebody took the maps: that is told, and no more")
    func withoutMaps() throws {
        let store = try VerifiedStore(batches: 25)
        try run(
            "PRAGMA journal_mode=DELETE; PRAGMA auto_vacuum=NONE; VACUUM; PRAGMA journal_mode=WAL",
            store)
        let faults = try store.verify().findings.map(\.fault)
        #expect(faults.count == 2, "\(faults)")
        #expect(faults.contains { $0.contains("somebody changed its auto_vacuum") })
    }

    @Test("a header that says there is no log, and a map that is not what it was")
    func twoFlips() throws {
        let store = try VerifiedStore(batches: 25)
        let whole = try contents(of: store.database)
        var data = whole
        data[19] = 0
        // Of the third page, which is a root.
        data[Connection.pageSize] ^= 4
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(store.database + suffix) }
        try data.write(to: URL(filePath: store.database))
        #expect(isFound(store))
    }

    @Test(
        "two in the head of an entry in the index of shared devices, which SQLite's check passes over"
    )
    func sharedIndex() throws {
        let folder = TemporaryFolder()
        do {
            let store = try Store.open(folder.options)
            _ = try store.registry.addApp("shop")
            #expect(store.writer.storeAlone(Batches.make("b-1", shared: true)) == .stored)
            try store.close()
        }
        let whole = try contents(of: folder.data.database)
        let root = try #require(
            try Connection(path: folder.data.database, mode: .read).integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'device_shared'"))
        let page = (Int(root) - 1) * Connection.pageSize
        let cell = page + Int(whole[page + 8]) << 8 + Int(whole[page + 9])
        // Its length, then a head of three bytes: its own length, and a kind for each number.
        for bits in [[0, 1], [0, 19], [1, 11]] {
            var data = whole
            for bit in bits { data[cell + 1 + bit / 8] ^= 1 << UInt8(bit % 8) }
            for suffix in ["-wal", "-shm"] {
                try FileSystem.remove(folder.data.database + suffix)
            }
            try data.write(to: URL(filePath: folder.data.database))
            let connection = try Connection(path: folder.data.database, mode: .read)
            var findings = Findings()
            try StructureCheck(connection).run(&findings)
            #expect(findings.kept == [], "it needs no check of its own")
            let outcome = try Verification(folder.data).run()
            #expect(
                outcome.findings.map(\.subject).contains("table device"), "\(bits): \(outcome)")
        }
        try whole.write(to: URL(filePath: folder.data.database))
        #expect(try Verification(folder.data).run().isGood)
    }

    @Test("each byte of an entry in the index of devices by their first times")
    func firstIndex() throws {
        let store = try VerifiedStore(batches: 25)
        let whole = try contents(of: store.database)
        func findings() throws -> [Finding] {
            var findings = Findings()
            try FirstSeenCheck(Connection(path: store.database, mode: .read)).run(&findings)
            return findings.kept
        }
        #expect(try findings() == [])
        let root = try #require(
            try Connection(path: store.database, mode: .read).integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'device_first'"))
        let page = (Int(root) - 1) * Connection.pageSize
        let cell = page + Int(whole[page + 8]) << 8 + Int(whole[page + 9])
        // Its length, then a head, which begins with its own length.
        for byte in Int(whole[cell + 1])..<Int(whole[cell]) {
            try flip(cell + 1 + byte, of: whole, store)
            #expect(try findings().count == 1, "\(byte)")
        }
    }

    /// As another program would, with what ours never allows.
    private func run(_ sql: String, _ store: VerifiedStore) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(sqlite3_open(store.database, &handle) == SQLITE_OK)
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
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

/// Where the cells of a database file's trees lie, read without SQLite (SQLite, Database File Format,
/// §1.6). Payload that goes on in other pages is left out there.
struct PageLayout {
    private(set) var cellOctets: [Int] = []
    /// Bytes in cells of which SQLite reads nothing: the type of a column that is the row id.
    private(set) var unread: Set<Int> = []

    init(_ data: Data) {
        // The second page is a map of parents.
        for page in 0..<(data.count / Connection.pageSize) where page != 1 {
            let begin = page * Connection.pageSize
            let header = page == 0 ? begin + 100 : begin
            let kind = data[header]
            guard [2, 5, 10, 13].contains(kind) else { continue }
            let count = Int(data[header + 3]) << 8 | Int(data[header + 4])
            for cell in 0..<count {
                let at = header + (kind < 6 ? 12 : 8) + 2 * cell
                add(cell: begin + (Int(data[at]) << 8 | Int(data[at + 1])), kind: kind, data)
            }
        }
    }

    private mutating func add(cell start: Int, kind: UInt8, _ data: Data) {
        var place = start + (kind < 6 ? 4 : 0)
        func number() -> Int {
            var value = 0
            while true {
                let byte = data[place]
                place += 1
                value = value << 7 | Int(byte & 0x7f)
                if byte < 0x80 { return value }
            }
        }
        var payload = 0
        if kind != 5 { payload = number() }
        if kind == 5 || kind == 13 { _ = number() }
        let most =
            kind == 13 ? Connection.pageSize - 35 : (Connection.pageSize - 12) * 64 / 255 - 23
        let least = (Connection.pageSize - 12) * 32 / 255 - 23
        let end = place + (payload <= most ? payload : least)
        // The record's header: its length, then a type a column; 0 first is null, for the row id.
        if kind == 13, data[place] < 0x80, data[place + 1] == 0 { unread.insert(place + 1) }
        cellOctets += (start..<end).filter { !unread.contains($0) }
    }
}
