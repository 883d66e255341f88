import Database
import Foundation
import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@testable import Storage

@Suite("The law of an export", .tags(.long))
struct ExportLawTests {
    private let folder = TemporaryFolder()

    /// Batches of which each has events over days, and several in a window.
    private static func population(
        _ random: inout SplitMix, _ zone: TimeZoneRules
    ) -> [SentBatch] {
        var batches = LawTests.population(&random, zone: zone)
        for device in 0..<random.next(6) {
            let start = noon + Int64(random.next(20) - 10) * random.pick([hour, day])
            batches.append(
                SentBatch(
                    device: "e\(device)", id: "z", resource: ["os.name": "iOS"],
                    receivedAt: noon + Int64(random.next(9)) * day,
                    events: (0..<random.next(60)).map { _ in
                        SentEvent(
                            random.pick(["p", "q"]),
                            start + Int64(random.next(5)) * random.pick([0, 1, 60_000, hour, day]),
                            random.pick([nil, "s", "t é"]),
                            random.next(2) == 0
                                ? [] : [("k", random.pick(["1", "\"v,\\\"\"", "true"]))])
                    }, firstIndex: random.next(3)))
        }
        return batches
    }

    private static func copy(_ store: TestStore, to path: String) throws {
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        let copy = try Connection(path: path, mode: .copy)
        let pages = try DatabaseCopy(from: store.connection, to: copy)
        while try pages.step(pages: 1000) {}
    }

    private func text(
        _ lines: ExportLines, limit: Int, _ queries: any Queries
    ) throws -> [UInt8] {
        var (lines, text) = (lines, [UInt8]())
        while !lines.isDone { text += try lines.next(queries, limit: limit).joined() }
        return text
    }

    @Test(
        "it is the same in pages and windows of any size, on any number of threads, of segments and rows",
        arguments: 0..<8)
    func windows(group: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(110_000 + group * 100 + round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(LawTests.zones))
            let batches = Self.population(&random, zone)
            let store = try TestStore(batches, timeZone: zone.name)
            let array = ArrayQueries(batches: batches)
            var copies = 0
            try store.forEachForm { form throws in
                copies += 1
                let path = "\(folder.path)/\(round)-\(copies).db"
                try Self.copy(store, to: path)
                let pool = ConnectionPool(limit: 2) { () throws(StorageError) in
                    try Connection(path: path, mode: .read)
                }
                let connection = try Connection(path: path, mode: .read)
                for _ in 0..<4 {
                    let from = CivilDate(number: 20_540 - random.next(40))
                    var asked = range(
                        from.text, from.adding(days: random.pick([0, 9, 60])).text)
                    if random.next(3) == 0 { asked.append(("os.name", "iOS")) }
                    let lines = ExportLines(try store.question("export", asked))
                    let wanted = try text(lines, limit: 1 << 20, array)
                    let environment = ReportEnvironment(
                        threads: random.pick([1, 2, 3, 4]),
                        readers: random.next(2) == 0 ? pool : nil)
                    let limit = random.pick([1, 700, 300_000, 1 << 20])
                    var (left, found) = (lines, [UInt8]())
                    while !left.isDone {
                        let queries = SegmentQueries(connection, Interruption(), environment)
                        found += try queries.transaction { (queries) throws(QueryError) in
                            try left.next(queries, limit: limit)
                        }.joined()
                    }
                    #expect(found == wanted, "seed \(seed), \(form), \(limit), \(asked)")
                }
                pool.close()
            }
        }
    }

    @Test(
        "what comes and goes between pages changes no other line, and not their order",
        arguments: 0..<6)
    func meanwhile(group: Int) throws {
        let seed = UInt64(120_000 + group)
        var random = SplitMix(seed: seed)
        let zone = try TimeZoneRules(name: "UTC")
        var batches = Self.population(&random, zone)
        while batches.count < 8 { batches += Self.population(&random, zone) }
        var used: Set<String> = []
        batches = batches.filter { used.insert("\($0.device)/\($0.id)").inserted }
        let half = batches.count / 2
        let store = try TestStore(Array(batches[..<half]))
        if group % 2 == 0 { try store.pack(limit: 5) }
        let asked = range("2026-02-01", "2026-05-01")
        let lines = ExportLines(try store.question("export", asked))
        let gone = batches[0].device
        func isOfGone(_ line: String) -> Bool {
            line.contains("\"device\":\"\(ArrayQueries.hash(gone).hex)\"")
        }
        func split(_ text: [UInt8]) -> [String] {
            String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let before = split(
            try text(lines, limit: 1 << 20, ArrayQueries(batches: Array(batches[..<half]))))
        let all = split(try text(lines, limit: 1 << 20, ArrayQueries(batches: batches)))
        var (left, found, page) = (lines, [String](), 0)
        while !left.isDone {
            found += split(try left.next(store.connection, limit: 900))
            page += 1
            if page == 2 {
                for batch in batches[half...] { try store.store(batch) }
            }
            if page == 3 {
                let hash = ArrayQueries.hash(gone).hex
                try store.connection.execute(
                    """
                    INSERT OR IGNORE INTO stale_day (app, day) SELECT DISTINCT app, day FROM segment;
                    DELETE FROM event WHERE id >> 13 IN (SELECT b.id FROM batch AS b
                        JOIN device AS d ON d.id = b.device WHERE hex(d.hash) = upper('\(hash)'));
                    DELETE FROM batch WHERE device IN
                        (SELECT id FROM device WHERE hex(hash) = upper('\(hash)'));
                    """)
            }
        }
        // In order, none twice, none that is no one's, and all that were there throughout.
        let places = try found.map { try #require(all.firstIndex(of: $0), "seed \(seed)") }
        #expect(places == places.sorted() && Set(places).count == places.count, "seed \(seed)")
        let missing = Set(before).subtracting(found)
        #expect(missing.allSatisfy(isOfGone), "seed \(seed)")
    }
}
