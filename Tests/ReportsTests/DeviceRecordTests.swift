import Events
import Query
import Reports
import Storage
import StoreTestSupport
import Testing

@Suite("devices: one device's own record (docs/reports.md, devices)")
struct DeviceRecordTests {
    private func hash(_ device: String) throws -> DeviceHash {
        try #require(DeviceHash(TestStore.hash(of: device)))
    }

    private func lines(
        _ store: TestStore, _ device: String, _ pairs: [(name: String, value: String)] = [],
        limit: Int = 1 << 20
    ) throws -> [String]? {
        let question = try store.question("devices", pairs)
        guard
            var pages = try ExportLines(of: hash(device), question, store.connection)
        else { return nil }
        var out: [UInt8] = []
        while !pages.isDone { out += try pages.next(store.connection, limit: limit) }
        return String(decoding: out, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("its lines are those of an export that are its own, however large the pages are")
    func lines() throws {
        let store = try TestStore(ExportTests.crowd())
        let all = try store.export(range("2026-03-01", "2026-04-30"))
        for device in ["d0", "d1", "d2"] {
            let own = all.filter { $0.contains("\"device\":\"\((try? hash(device).hex) ?? "")\"") }
            #expect(own.count > 20)
            for limit in [1, 700, 1 << 20] {
                #expect(try lines(store, device, limit: limit) == own)
            }
            let day = range("2026-03-28", "2026-03-28")
            let today = try store.export(day).filter { own.contains($0) }
            #expect(try lines(store, device, day) == today && today.count < own.count)
        }
    }

    @Test("all of it, however old; nothing without events; none of another app's or of nobody")
    func edges() throws {
        var batches = ExportTests.crowd()
        batches.append(
            SentBatch(device: "old", id: "1", events: [SentEvent("p", noon - 900 * day)]))
        batches.append(SentBatch(device: "empty", id: "1", events: []))
        let store = try TestStore(batches)
        try store.store(
            SentBatch(device: "other", id: "1", events: [SentEvent("p", noon)]), app: 8)
        #expect(try lines(store, "old")?.count == 1)
        #expect(try lines(store, "empty") == [])
        #expect(try lines(store, "other") == nil)
        #expect(try lines(store, "nobody") == nil)
    }

    @Test(
        "its rows used again between two pages: no line of whoever has them now", arguments: [7, 8])
    func rowsUsedAgain(app: Int64) throws {
        func batches(_ device: String) -> [SentBatch] {
            [noon, noon + 9 * day].enumerated().map { place, time in
                SentBatch(
                    device: device, id: "\(place)",
                    events: (0..<3).map { SentEvent("p", time + $0 * 1000) })
            }
        }
        let store = try TestStore(batches("a"))
        let range = range("2026-03-01", "2026-04-30")
        var own = try #require(
            try ExportLines(of: hash("a"), store.question("devices", []), store.connection))
        var all = ExportLines(try store.question("export", range))
        let first = try own.next(store.connection, limit: 1)
        #expect(try all.next(store.connection, limit: 1) == first && !first.isEmpty)
        for table in ["event", "batch", "device"] {
            try store.connection.execute("DELETE FROM \(table)")
        }
        for batch in batches("b") { try store.store(batch, app: app) }
        #expect(try store.connection.integer("SELECT max(id) FROM device") == 1)
        #expect(try own.next(store.connection, limit: 1 << 20) == [])
        let rest = try all.next(store.connection, limit: 1 << 20).count { $0 == 10 }
        // What is stored meanwhile may come: all of it is after the first line.
        #expect(rest == (app == 7 ? 6 : 0))
    }
}
