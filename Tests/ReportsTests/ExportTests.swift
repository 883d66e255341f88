import Database
import StoreTestSupport
import TestSupport
import Testing

@testable import Query
@testable import Reports
@testable import Storage

@Suite("export")
struct ExportTests {
    private let today = range("2026-03-28", "2026-03-28")

    @Test("a line has the members of the contract in its order")
    func line() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "b-1",
                resource: ["os.name": "iOS", "device.manufacturer": "Ünï\"c"],
                receivedAt: noon + 5,
                events: [
                    SentEvent(
                        "usage.counter", noon, "s-1",
                        [("counter.name", "\"tap\\\",]\""), ("counter.value", "3"), ("z", "true")])
                ], firstIndex: 4)
        ])
        let hash = TestStore.hash(of: "a").map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
        #expect(
            try store.export(today) == [
                """
                {"time":\(noon),"name":"usage.counter","device":"\(hash)","batch_id":"b-1","index":4,\
                "received_at":\(noon + 5),"resource":{"os.name":"iOS","device.manufacturer":"Ünï\\"c"},\
                "attributes":{"session.id":"s-1","counter.name":"tap\\",]","counter.value":3,"z":true},\
                "cursor":"\(noon)~4~\(hash)~b-1"}
                """
            ])
    }

    @Test("an event without attributes, without a session, without a resource has empty objects")
    func empty() throws {
        let store = try TestStore([SentBatch(device: "a", id: "1", events: [SentEvent("p", noon)])])
        let line = try #require(store.export(today).first)
        #expect(line.contains("\"resource\":{},\"attributes\":{},\"cursor\""))
        #expect(try store.export(range("2026-03-27", "2026-03-27")).isEmpty)
    }

    @Test("batches with thousands of keys that take turns are no trouble")
    func manyKeys() throws {
        let keys = 3000
        let store = try TestStore(
            (0..<30).map { batch in
                SentBatch(
                    device: "d\(batch)", id: "b",
                    events: (0..<keys).map { place in
                        SentEvent("p", noon + Int64(place), nil, [("k\(batch).\(place)", "1")])
                    })
            })
        var lines: [String] = []
        let time = try threadTime { lines = try store.lines(today) }
        // Each key looked up anew for each line would be many minutes.
        #expect(time < .seconds(60))
        #expect(lines.count == 30 * keys)
        #expect(lines.first?.contains("\"attributes\":{\"k") == true)
    }

    /// Batches of three devices with many equal times, some of days' length.
    static func crowd() -> [SentBatch] {
        var random = SplitMix(seed: 11)
        return (0..<60).map { place in
            let start = noon - Int64(random.next(3)) * day + Int64(random.next(4)) * 1000
            return SentBatch(
                device: "d\(place % 3)", id: "b\((place * 7) % 20)",
                resource: ["os.name": ["iOS", "Android", ""][random.next(3)]],
                events: (0..<random.next(6)).map { _ in
                    SentEvent(
                        "p", start + Int64(random.next(3)) * [1, 1000, day][random.next(3)],
                        random.next(2) == 0 ? nil : "s", random.next(2) == 0 ? [] : [("k", "\"v\"")]
                    )
                })
        }
    }

    private func key(_ line: String) -> (Int64, String, Int, String) {
        func field(_ name: String) -> String {
            String(line.split(separator: "\"\(name)\":", maxSplits: 1)[1].prefix { $0 != "," })
        }
        return (
            Int64(field("time")) ?? 0, field("batch_id"), Int(field("index")) ?? 0, field("device")
        )
    }

    @Test("lines are ordered by time, batch, index, device, however large the pages are")
    func order() throws {
        let batches = Self.crowd()
        let store = try TestStore(batches)
        let asked = range("2026-03-20", "2026-04-02")
        let lines = try store.export(asked)
        #expect(lines.count == batches.reduce(0) { $0 + $1.events.count })
        #expect(zip(lines, lines.dropFirst()).allSatisfy { key($0) < key($1) })
        for limit in [1, 100, 1000, 5000] {
            #expect(try store.export(asked, limit: limit) == lines)
        }
    }

    @Test("after any line's cursor come exactly the lines behind it")
    func cursors() throws {
        let store = try TestStore(Self.crowd())
        let asked =
            range("2026-03-20", "2026-04-02") + [("os.name", "iOS"), ("os.name", "unknown")]
        let lines = try store.export(asked)
        #expect(lines.count > 20)
        for (place, line) in lines.enumerated() {
            let cursor = String(line.split(separator: "\"cursor\":\"")[1].dropLast(2))
            #expect(try store.export(asked + [("after", cursor)]) == Array(lines[(place + 1)...]))
        }
    }

    @Test("a cursor from before the range leaves nothing out, one from behind it leaves nothing")
    func foreignCursors() throws {
        let store = try TestStore(Self.crowd())
        let lines = try store.export(today)
        let hash = String(repeating: "0", count: 32)
        #expect(try store.export(today + [("after", "0~0~\(hash)~x")]) == lines)
        #expect(try store.export(today + [("after", "\(noon + 9 * day)~0~\(hash)~x")]).isEmpty)
    }

    @Test(
        "what is no cursor is none",
        arguments: [
            "", "garbage", "1", "1~2", "1~2~00000000000000000000000000000000", "01~2~H~x",
            "+1~2~H~x",
            "-0~2~H~x", "1~02~H~x", "1~8192~H~x", "1~-1~H~x", "1~2~HH~x", "1~2~G~x", "1~2~H~",
            "1~2~H~a b", "1~2~H~x~y", "9007199254740992~2~H~x", "1~2~U~x", "1~2~H~é", " 1~2~H~x",
        ])
    func notCursors(text: String) {
        let hash = "0123456789abcdef0123456789abcdef"
        let cursor = text.replacing("H", with: hash).replacing("U", with: hash.uppercased())
        #expect(ExportPosition(parsing: Array(cursor.utf8)) == nil)
        #expect(
            ExportPosition(parsing: Array("-1~2~\(hash)~sha256:x".utf8))?.text
                == Array("-1~2~\(hash)~sha256:x".utf8))
    }

    @Test("a crowd in one millisecond, larger than what is searched at once", .tags(.long))
    func crowdedMillisecond() throws {
        let store = try TestStore(
            (0..<9).map { place in
                SentBatch(
                    device: "d\(place % 2)", id: "b\(place)",
                    events: (0..<4000).map { SentEvent("p", noon + ($0 == 0 ? 1 : 0)) })
            })
        let lines = try store.export(today, limit: 100_000)
        #expect(lines.count == 36_000)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { key($0) < key($1) })
    }

    @Test(
        "more batches than are searched at once, in an hour and in a millisecond", .tags(.long),
        arguments: [0, 50])
    func crowdedHour(gap: Int64) throws {
        let count = 33_000
        let store = try TestStore(
            (0..<count).map { place in
                SentBatch(
                    device: "d\(place % 50)", id: "b\(place)",
                    events: [SentEvent("p", noon + gap * Int64(place))])
            })
        let lines = try store.lines(today, limit: 1 << 22)
        #expect(lines.count == count)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { key($0) < key($1) })
    }

    @Test("page by page, where too many batches share a millisecond, or begin before and end after")
    func crowdedWindows() throws {
        let ofNoon = (0..<80).map { place in
            SentBatch(
                device: "d\(place % 7)", id: "b\(place / 2)",
                events: [SentEvent("p", noon), SentEvent("q", noon)])
        }
        let around = (0..<260).map { place in
            SentBatch(
                device: "d\(place % 7)", id: "a\(place / 2)",
                events: [
                    SentEvent("p", noon - hour), SentEvent("q", noon + Int64(place % 3) - 1),
                    SentEvent("r", noon + hour),
                ])
        }
        let store = try TestStore(ofNoon + around)
        let all = try store.lines(today, limit: 1 << 22)
        #expect(all.count == 160 + 780)
        #expect(zip(all, all.dropFirst()).allSatisfy { key($0) < key($1) })
        // Pages of a few lines, and of some twenty.
        for limit in [700, 3_000] { #expect(try store.export(today, limit: limit) == all) }
    }

    private func rows(
        _ store: TestStore, _ window: Range<Int64>, most: Int = .max,
        charge: BatchWindow.Charge = { _ in }
    ) throws -> [Int64]? {
        try BatchWindow.rows(
            of: store.app.id, window, limit: most, store.connection, SegmentTails(), charge: charge
        ) { _ in true }?.map(\.row)
    }

    @Test("no more batches are gathered than asked for, but for those that only may have events")
    func most() throws {
        let store = try TestStore(
            (0..<10).map { place in
                SentBatch(
                    device: "d", id: "b\(place)",
                    events: [SentEvent("p", noon - hour), SentEvent("p", noon + hour)])
            })
        try store.forEachForm { form throws in
            for certain in [noon - hour..<noon, noon..<noon + 2 * hour] {
                #expect(try rows(store, certain, most: 9) == nil, "\(form)")
                #expect(try rows(store, certain, most: 10)?.count == 10, "\(form)")
            }
            #expect(try rows(store, noon..<noon + 1, most: 0)?.count == 10, "\(form)")
        }
    }

    @Test("a list of batches is charged for before it grows, and ends where that throws")
    func charged() throws {
        let store = try TestStore(
            (0..<1000).map { SentBatch(device: "d", id: "b\($0)", events: [SentEvent("p", noon)]) })
        let least = 1000 * MemoryLayout<BatchWindow.Candidate>.stride
        try store.forEachForm { form throws in
            var charged: [Int] = []
            let found = try rows(store, noon..<noon + 1) { charged.append($0) }
            #expect(found?.count == 1000, "\(form)")
            #expect(charged.last ?? 0 >= least, "\(form)")
            #expect(charged == charged.sorted() && charged.count > 2, "\(form)")
            charged = []
            #expect(throws: StorageError.self, "\(form)") {
                try rows(store, noon..<noon + 1) { (bytes) throws(StorageError) in
                    charged.append(bytes)
                    if bytes > least / 2 { throw .interrupted(path: "list") }
                }
            }
            #expect(charged.count(where: { $0 > least / 2 }) == 1, "\(form)")
        }
    }

    @Test("of a batch that spans days without an event, segments tell")
    func emptyDays() throws {
        let store = try TestStore([
            SentBatch(
                device: "d", id: "b",
                events: [SentEvent("p", noon), SentEvent("p", noon + 8 * day)])
        ])
        let between = noon + 3 * day..<noon + 4 * day
        #expect(try rows(store, between)?.count == 1)
        try store.pack(limit: 1)
        #expect(try rows(store, between) == [])
        #expect(try rows(store, noon..<noon + 1)?.count == 1)
    }

    @Test("between pages nothing is held, and what was erased meanwhile does not come")
    func erasedMeanwhile() throws {
        let store = try TestStore(Self.crowd())
        var pages = ExportLines(try store.question("export", range("2026-03-20", "2026-04-02")))
        let first = try pages.next(store.connection, limit: 1)
        #expect(first.count(where: { $0 == 10 }) == 1)
        #expect(!store.connection.isInTransaction)
        try store.connection.execute("DELETE FROM event")
        #expect(try pages.next(store.connection, limit: 1 << 20).isEmpty)
        #expect(pages.isDone)
    }

    @Test("a day of two stretches is exported without the hour between")
    func twoStretches() throws {
        // St John's, Sunday 2010-11-07: 00:00 to 00:01, and again from 00:00 an hour later.
        let first: Int64 = 1_289_097_000_000
        let times = [
            first - 1, first, first + 59_999, first + 60_000, first + hour - 1, first + hour,
        ]
        let store = try TestStore(
            [SentBatch(device: "a", id: "1", events: times.map { SentEvent("p", $0) })],
            timeZone: "America/St_Johns")
        let lines = try store.export(range("2010-11-07", "2010-11-07"))
        #expect(lines.map { key($0).0 } == [times[1], times[2], times[5]])
        #expect(
            try store.ask("active", range("2010-11-06", "2010-11-07")).rows.map { $0.cells[1] } == [
                .int(1), .int(1),
            ])
    }

    @Test("between pages it keeps where it is, and nothing else that batches sent")
    func footprint() throws {
        let session = String(repeating: "s", count: 200)
        let store = try TestStore(
            (0..<400).map { place in
                SentBatch(
                    device: "d\(place)", id: "b",
                    events: (0..<50).map { SentEvent("p", noon + Int64($0), session + "\($0)") })
            })
        var pages = ExportLines(try store.question("export", today))
        var most = 0
        while !pages.isDone {
            _ = try pages.next(store.connection, limit: 128 << 10)
            most = max(most, Self.leaves(of: pages))
        }
        // 400 batches have four megabytes of session ids.
        #expect((1...100).contains(most))
    }

    /// Values that something is made of, down to its numbers.
    private static func leaves(of value: Any) -> Int {
        if let numbers = value as? [Int64] { return numbers.count }
        if let octets = value as? [UInt8] { return octets.count / 8 }
        let children = Mirror(reflecting: value).children
        return children.isEmpty ? 1 : children.reduce(0) { $0 + leaves(of: $1.value) }
    }

    @Test("a filter lets through what is equal in bytes, not what Unicode calls equal")
    func equivalents() throws {
        let systems = ["\u{C5}", "A\u{30A}", "\u{212B}"]
        let store = try TestStore(
            systems.enumerated().map { place, system in
                SentBatch(
                    device: "a", id: "\(place)", resource: ["os.name": system],
                    events: [
                        SentEvent("p", noon, "s" + system, [("k", "\"\(system)\"")]),
                        SentEvent("p", noon, "s" + systems[0], [("k", "1")]),
                    ])
            })
        for (place, system) in systems.enumerated() {
            let lines = try store.export(today + [("os.name", system)])
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("\"batch_id\":\"\(place)\"") })
            let own = Array("\"session.id\":\"s\(system)\",\"k\":\"\(system)\"".utf8)
            #expect(Array(lines[0].utf8).firstRange(of: own) != nil)
            let sessions = try store.ask("sessions", today + [("os.name", system)])
            #expect(sessions.rows[0].cells[1] == .int(1))
        }
        #expect(try store.ask("platforms", today).rows.count == 3)
        #expect(try store.ask("sessions", today).rows[0].cells[1] == .int(3))
    }
}
