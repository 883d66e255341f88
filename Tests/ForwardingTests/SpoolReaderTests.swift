import Database
import Engine
import StoreTestSupport
import Testing

@testable import Forwarding
@testable import Query
@testable import Upkeep

@Suite("Batches of the spool as rows of the engine")
struct SpoolReaderTests {
    private static func reader(_ store: TestStore) throws -> SpoolReader {
        try SpoolReader(store.connection, node: "node-1")
    }

    private static func rows(_ batches: [SentBatch]) throws -> [ReadBatch] {
        let store = try TestStore(batches)
        let unit = try reader(store).unit(after: 0, shards: 1, number: 1, prunedTo: nil)
        return try #require(unit).readBatches
    }

    private static func attributes(_ values: [String]) throws -> ReadEvent {
        let event = SentEvent(
            "app.tried", noon, nil, values.enumerated().map { ("k\($0.offset)", $0.element) })
        let row = try rows([SentBatch(device: "d", id: "b", events: [event])]).first
        return try #require(row?.events.first)
    }

    @Test("a row has all that a batch says")
    func wholeBatch() throws {
        let row = try #require(
            Self.rows([
                SentBatch(
                    device: "d", id: "b-ü", resource: ["os.name": "iOS", "service.version": "1.0"],
                    isShared: true, receivedAt: noon + 5,
                    events: [
                        SentEvent("screen.view", noon, "s-1", [("app.screen.name", #""menu""#)]),
                        SentEvent("app.opened", noon - 7),
                    ],
                    firstIndex: 3, clockShift: -4, profile: 2, key: "k-a", sequence: 9, dropped: 2,
                    bytes: 77, rejected: ["invalid-time", "invalid-name", "invalid-time"])
            ]).first)
        #expect(row.app == "shop")
        #expect(row.device == TestStore.hash(of: "d"))
        #expect(row.batchID == "b-ü")
        #expect(
            row.version
                == RowVersion.ofBatch(
                    receivedAt: noon + 5, prunedTo: nil, node: RowVersion.bits(ofNode: "node-1")))
        #expect(row.node == "node-1" && row.unit == 1)
        #expect(row.receivedAt == noon + 5 && row.clockShift == -4)
        #expect(row.profile == "jwe" && row.key == "k-a")
        #expect(row.sequence == 9 && row.droppedEvents == 2 && row.bodyBytes == 77)
        #expect(row.accepted == 2 && row.rejected == 3 && row.shared == 1)
        #expect(row.resource == ["iOS", "", "", "", "1.0", "", "", ""])
        #expect(row.firstTime == noon - 7 && row.lastTime == noon)
        #expect(row.rejections == ["invalid-time": 2, "invalid-name": 1])
        #expect(row.completions.isEmpty)
        #expect(
            row.events == [
                ReadEvent(
                    place: 3, time: noon, name: "screen.view", session: "s-1",
                    keys: ["app.screen.name"], values: ["smenu"], numbers: [0]),
                ReadEvent(place: 4, time: noon - 7, name: "app.opened"),
            ])
    }

    @Test("what was not given is empty, and a sequence that was not is −1")
    func leastBatch() throws {
        let row = try #require(Self.rows([SentBatch(device: "d", id: "b", events: [])]).first)
        #expect(row.key.isEmpty && row.sequence == -1 && row.shared == 0)
        #expect(row.firstTime == 0 && row.lastTime == 0 && row.events.isEmpty)
        #expect(row.resource == Array(repeating: "", count: 8))
    }

    @Test("the subject and the value are those of the events that have to have one")
    func subjects() throws {
        let rows = try Self.rows([
            SentBatch(
                device: "d", id: "b",
                events: [
                    SentEvent(
                        "usage.counter", noon, nil,
                        [("counter.value", "12"), ("counter.name", #""tap \"a\"""#)]),
                    SentEvent("usage.counter", noon, nil, [("counter.name", #""t""#)]),
                    SentEvent("content.view", noon, nil, [("content.id", #""c""#)]),
                    SentEvent("content.complete", noon, nil, [("content.id", #""c/ü""#)]),
                    SentEvent(
                        "video.enter_fullscreen", noon, nil,
                        [("video.id", #""v""#), ("content.id", #""x""#)]),
                    SentEvent("video.exit_fullscreen", noon, nil, [("video.id", #""v""#)]),
                    SentEvent("screen.view", noon, nil, [("app.screen.name", #""s""#)]),
                    SentEvent(
                        "app.own", noon, nil,
                        [("counter.name", #""t""#), ("counter.value", "3"), ("content.id", "1")]),
                ])
        ])
        let events = try #require(rows.first).events
        #expect(events.map(\.subject) == [#"tap "a""#, "t", "c", "c/ü", "v", "v", "", ""])
        #expect(events.map(\.value) == [12, 1, 0, 0, 0, 0, 0, 0])
        #expect(events[0].keys == ["counter.value", "counter.name"])
        #expect(events[0].values == ["n12", #"stap "a""#])
    }

    @Test("attributes keep their order, and their texts are those that reports show")
    func attributeTexts() throws {
        let event = try Self.attributes([
            #""5""#, "5", "-1.5", "1e+21", "true", "false", #""a\nb\u0001\\é""#, #""""#, #""nan""#,
            "12345678901234567890",
        ])
        #expect(event.keys == (0..<10).map { "k\($0)" })
        #expect(
            event.values == [
                "s5", "n5", "n-1.5", "n1e+21", "btrue", "bfalse", "sa\nb\u{1}\\é", "s", "snan",
                "n12345678901234567890",
            ])
        #expect(
            event.numbers == [
                0, 5, -1.5, 1e21, 0, 0, 0, 0, 0, 12_345_678_901_234_567_168,
            ])
    }

    @Test("texts are the same bytes as in events by the values of an attribute")
    func sameTextsAsReports() throws {
        let scalars = [
            #""plain""#, #""with \"quotes\" and \\""#, #""\t\b\f\r\n""#, #""\u001f""#, #""ü€😀""#,
            "0", "-7", "0.1", "1e-7", "123456789012345678901234", "true", "false",
        ]
        let event = try Self.attributes(scalars)
        var codes = TextCodes()
        for (scalar, value) in zip(scalars, event.values) {
            let code = codes.code(ofScalar: Array(scalar.utf8).span)
            #expect(codes[code].string == String(value.dropFirst()))
        }
    }

    @Test("events of a session have its id, without escapes")
    func sessions() throws {
        let rows = try Self.rows([
            SentBatch(
                device: "d", id: "b",
                events: [
                    SentEvent("session.start", noon, #"s \"1\""#), SentEvent("app.a", noon, "s2"),
                    SentEvent("app.a", noon), SentEvent("session.end", noon, #"s \"1\""#),
                ])
        ])
        #expect(rows.first?.events.map(\.session) == [#"s "1""#, "s2", "", #"s "1""#])
    }

    @Test("a batch is on its device's shard")
    func shards() throws {
        let batches = (0..<40).map { SentBatch(device: "d\($0)", id: "b", events: []) }
        let store = try TestStore(batches)
        let found = try Self.reader(store).unit(after: 0, shards: 3, number: 7, prunedTo: nil)
        let unit = try #require(found)
        #expect(unit.batches == 40 && !unit.isFull)
        for (number, shard) in unit.shards.enumerated() {
            let rows = try ReadBatch.all(shard.batches.bytes)
            let arrivals = try ReadArrival.all(shard.arrivals.bytes)
            #expect(rows.count == shard.batchCount && arrivals.count == shard.arrivalCount)
            #expect(rows.count > 5)
            #expect(rows.map(\.device) == arrivals.map(\.device))
            for row in rows {
                let high = row.device.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                #expect(high % 3 == UInt64(number))
            }
        }
    }

    @Test("units have every batch once and in order, and no more than they may")
    func limits() throws {
        let batches = (0..<25).map { number in
            SentBatch(
                device: "d\(number % 4)", id: "b\(number)", receivedAt: noon + Int64(number),
                events: (0..<number % 6).map { SentEvent("app.a", noon + Int64($0)) }, bytes: 10)
        }
        let store = try TestStore(batches)
        let reader = try Self.reader(store)
        for (count, bytes) in [(1, 1 << 20), (4, 1 << 20), (25, 1 << 20), (100, 900), (100, 1)] {
            var limit = SpoolUnit.Limit()
            (limit.batches, limit.bytes) = (count, bytes)
            var seen: [String] = []
            var last: Int64 = 0
            while let unit = try reader.unit(
                after: last, shards: 1, number: 1, prunedTo: nil, limit)
            {
                #expect(unit.batches <= count)
                #expect(unit.bytes <= bytes || unit.batches == 1)
                #expect(unit.isFull == (unit.lastBatch < 25))
                #expect(unit.bodyBytes == Int64(unit.batches) * 10)
                seen += try unit.readBatches.map(\.batchID)
                #expect(unit.lastArrival == noon + Int64(seen.count) - 1)
                last = unit.lastBatch
            }
            #expect(seen == batches.map(\.id))
        }
    }

    @Test("devices that are being erased are left out, and the unit goes on after them")
    func erasing() throws {
        let store = try TestStore(
            ["a", "b", "a", "c"].enumerated().map {
                SentBatch(device: $0.element, id: "b\($0.offset)", events: [])
            })
        try store.connection.execute(
            "INSERT INTO erasing SELECT device FROM batch WHERE id IN (1, 4)")
        let reader = try Self.reader(store)
        let unit = try #require(try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil))
        #expect(try unit.readBatches.map(\.batchID) == ["b1"])
        #expect(try unit.readArrivals.map(\.batchID) == ["b1"])
        #expect(unit.lastBatch == 4 && !unit.isFull)
        let none = try #require(try reader.unit(after: 2, shards: 1, number: 1, prunedTo: nil))
        #expect(none.batches == 0 && none.lastArrival == nil && none.lastBatch == 4)
        let end = try reader.unit(after: 4, shards: 1, number: 1, prunedTo: nil)
        #expect(end == nil)
    }

    @Test("of a device that is being split what goes is left out, and nothing else")
    func splitting() throws {
        let moment = noon + 9
        let batch = { (device: String, id: String, arrival: Int64) in
            SentBatch(device: device, id: id, receivedAt: arrival, events: [])
        }
        let store = try TestStore([
            batch("a", "goes", moment - 1), batch("a", "stays", moment),
            batch("b", "other", moment - 1),
        ])
        let device = try store.connection.integer("SELECT device FROM batch WHERE id = 1")
        try DeviceSplit.begin(
            old: 100, device: #require(device), moment: moment, store.connection)
        try store.store(batch("a", "late", moment - 1))
        let reader = try Self.reader(store)
        let unit = try #require(try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil))
        #expect(try unit.readBatches.map(\.batchID) == ["stays", "other", "late"])
        #expect(unit.lastBatch == 4)
    }

    @Test("a prune changes neither first events nor first completions")
    func pruned() throws {
        var first = SentBatch(
            device: "d", id: "b1",
            events: [
                SentEvent("app.a", noon - 50), SentEvent("app.a", noon),
                SentEvent("content.complete", noon - 20, nil, [("content.id", #""c""#)]),
            ])
        var second = SentBatch(
            device: "d", id: "b2",
            events: [
                SentEvent("content.complete", noon - 10, nil, [("content.id", #""e""#)]),
                SentEvent("app.a", noon + 1),
            ])
        let whole = try Self.rows([first, second])
        #expect(whole.map(\.firstTime) == [noon - 50, noon - 10])
        let store = try TestStore([first, second])
        first.pruned = [0, 2]
        second.pruned = [0, 1]
        try store.connection.execute(
            """
            DELETE FROM event WHERE id IN (1 << 13, 1 << 13 | 2, 2 << 13, 2 << 13 | 1);
            UPDATE batch SET pruned = 2, first_time = \(noon), last_time = \(noon) WHERE id = 1;
            UPDATE batch SET pruned = 2, first_time = NULL, last_time = NULL WHERE id = 2;
            INSERT INTO completion (device, content, time, event)
            VALUES (1, 'c', \(noon - 20), 1 << 13 | 2), (1, 'e', \(noon - 10), 2 << 13);
            """)
        let limit = noon - 5
        let found = try Self.reader(store).unit(after: 0, shards: 1, number: 1, prunedTo: limit)
        let rows = try #require(found).readBatches
        #expect(rows.map(\.firstTime) == whole.map(\.firstTime))
        #expect(rows.map(\.lastTime) == [noon, 0])
        #expect(rows.map(\.events.count) == [1, 0])
        #expect(rows.map(\.accepted) == [3, 2])
        #expect(rows.map(\.completions) == [["c": noon - 20], ["e": noon - 10]])
        for (old, new) in zip(whole, rows) { #expect(new.version > old.version) }
    }

    @Test("what is not what was written throws, and nothing of it is handed over")
    func damage() throws {
        for change in [
            "UPDATE batch SET attribute_keys = '[9'", "UPDATE batch SET attribute_keys = '[99]'",
            "UPDATE batch SET sessions = '{}'", "UPDATE event SET session = 4",
            "UPDATE event SET attributes = '0'", "UPDATE event SET attributes = '7,1'",
            "UPDATE event SET attributes = '0,null'", "UPDATE event SET name = 99",
            "DELETE FROM device", "UPDATE batch SET profile = 9",
            "UPDATE batch SET resource = 9", "UPDATE batch SET app = 9",
        ] {
            let store = try TestStore([
                SentBatch(
                    device: "d", id: "b", events: [SentEvent("app.a", noon, "s", [("k", "1")])])
            ])
            try store.connection.execute(change)
            let reader = try Self.reader(store)
            #expect(throws: StorageError.self, "\(change)") {
                try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil)
            }
        }
    }

    @Test("what rows of words are called is not remembered from one unit to the next")
    func wordsOfOtherRows() throws {
        let store = try TestStore([
            SentBatch(device: "d", id: "b", events: [SentEvent("app.a", noon, nil, [("k", "1")])])
        ])
        let reader = try Self.reader(store)
        _ = try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil)
        try store.connection.execute(
            "UPDATE name SET text = 'app.b'; UPDATE attribute_key SET text = 'l';")
        let unit = try #require(try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil))
        let event = try #require(try unit.readBatches.first?.events.first)
        #expect(event.name == "app.b" && event.keys == ["l"])
    }
}
