import Engine
import Events
import Forwarding
import StoreTestSupport
import TestSupport
import Testing

@Suite(
    "Rows in a real engine",
    .tags(.long), .enabled(if: !TestEngine.all.isEmpty, "SOJOURN_TEST_ENGINES names no engine"),
    .serialized)
struct EngineTableTests {
    /// Texts with whatever a text may have, and numbers that a decimal text would lose.
    private static func batches() -> [SentBatch] {
        var random = SplitMix(seed: 1)
        let texts = ["", "a", "ü€😀", #"\"\\\n\u0001"#, String(repeating: "x", count: 300)]
        let numbers = ["0", "-1.5", "5e-324", "1.7976931348623157e+308", "0.1", "9007199254740993"]
        let again: [(time: Int64, bytes: Int64)] = [(noon + day, 9)]
        return (0..<120).map { number in
            let events = (0..<Int(random.next() % 9)).map { place in
                SentEvent(
                    ["app.a", "screen.view", "usage.counter"][place % 3], noon + Int64(place),
                    place % 2 == 0 ? "s\(number)" : nil,
                    [
                        ("counter.name", "\"c\(texts[place % 5])\""),
                        ("k\(place)", numbers[Int(random.next() % 6)]),
                        ("flag", place % 2 == 0 ? "true" : "false"),
                    ].suffix(place % 4))
            }
            return SentBatch(
                device: "d\(number % 11)", id: "b\(number)",
                resource: ["os.name": "iOS", "device.manufacturer": texts[number % 5]],
                isShared: number % 11 == 3, receivedAt: noon + Int64(number), events: events,
                profile: Int64(1 + number % 4), key: number % 2 == 0 ? "k-a" : nil,
                sequence: number % 3 == 0 ? Int64(number) : nil, dropped: 1, bytes: 100,
                rejected: number % 5 == 0 ? ["invalid-name", "invalid-time"] : [],
                repeats: number % 7 == 0 ? again : [])
        }
    }

    private static func insert(_ table: String, _ columns: [String]) -> String {
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) FORMAT RowBinary"
    }

    private static func select(
        _ columns: [String], _ table: String, by key: String
    ) -> String {
        "SELECT \(columns.joined(separator: ", ")) FROM \(table) FINAL ORDER BY \(key) "
            + "FORMAT RowBinary"
    }

    @Test("every column of a batch is read back as it was written", arguments: TestEngine.all)
    func batches(_ engine: TestEngine) throws {
        let store = try TestStore(Self.batches())
        try store.connection.execute(
            """
            UPDATE batch SET pruned = 1 WHERE id % 10 = 0;
            INSERT INTO completion (device, content, time, event)
            SELECT device, 'done ' || id, 5, id << 13 FROM batch WHERE pruned = 1;
            """)
        let reader = try SpoolReader(store.connection, node: "n")
        let found = try reader.unit(after: 0, shards: 1, number: 3, prunedTo: noon)
        let unit = try #require(found)
        let rows = try unit.readBatches.sorted {
            (hex($0.device), $0.batchID) < (hex($1.device), $1.batchID)
        }
        #expect(rows.count == 120 && rows.contains { !$0.completions.isEmpty })
        try engine.withTables {
            let insert = Self.insert(BatchRow.table, BatchRow.columns)
            try engine.ask(insert, unit.shards[0].batches.bytes)
            let select = Self.select(BatchRow.columns, BatchRow.table, by: "device, batch_id")
            let read = try ReadBatch.all(Array(engine.ask(select)))
            #expect(read == rows)
            // The same again, and a later copy from another node: nothing changes.
            try engine.ask(insert, unit.shards[0].batches.bytes)
            let other = try SpoolReader(store.connection, node: "m")
            try store.connection.execute("UPDATE batch SET received_at = received_at + 1")
            let later = try other.unit(after: 0, shards: 1, number: 1, prunedTo: nil)
            try engine.ask(insert, try #require(later).shards[0].batches.bytes)
            #expect(try ReadBatch.all(Array(engine.ask(select))) == rows)
        }
    }

    @Test(
        "arrivals and refusals are read back, and the greatest count counts",
        arguments: TestEngine.all)
    func counts(_ engine: TestEngine) throws {
        let store = try TestStore(Self.batches())
        for code in ["expired", "undecodable", "expired"] { try store.refuse(code, at: noon) }
        let reader = try SpoolReader(store.connection, node: "n")
        let found = try reader.unit(after: 0, shards: 1, number: 3, prunedTo: nil)
        let unit = try #require(found)
        try HandOverMarks.takeBack(from: nil, store.connection)
        let sums = try SpoolCountReader(store.connection, node: "n")
        let counts = try sums.counts(upTo: unit.lastBatch, shards: 1)
        let repeats = counts.arrivals[0]
        // Those of a batch's own quarter of an hour are in both.
        let changed = try ReadArrival.all(repeats.bytes)
        let keys = Set(changed.map { "\($0.batchID) \($0.quarter) \(hex($0.device))" })
        let rows =
            try unit.readArrivals.filter {
                !keys.contains("\($0.batchID) \($0.quarter) \(hex($0.device))")
            } + changed
        try engine.withTables {
            let insert = Self.insert(ArrivalRow.table, ArrivalRow.columns)
            let select = Self.select(
                ArrivalRow.columns, ArrivalRow.table, by: "quarter, device, batch_id")
            for bytes in [unit.shards[0].arrivals.bytes, repeats.bytes] {
                try engine.ask(insert, bytes)
            }
            let expected = rows.sorted {
                ($0.quarter, hex($0.device), $0.batchID)
                    < ($1.quarter, hex($1.device), $1.batchID)
            }
            #expect(try ReadArrival.all(Array(engine.ask(select))) == expected)
            try store.connection.execute("UPDATE repeat SET times = times + 2")
            let grown = try sums.counts(upTo: unit.lastBatch, shards: 1)
            try engine.ask(insert, grown.arrivals[0].bytes)
            try engine.ask(insert, repeats.bytes)
            let times = try ReadArrival.all(Array(engine.ask(select))).reduce(0) { $0 + $1.times }
            let before = rows.reduce(0) { $0 + $1.times }
            #expect(times == before + 2 * UInt64(changed.count))
            let body = counts.refusals
            try engine.ask(Self.insert(RefusalRow.table, RefusalRow.columns), body.bytes)
            let back = Self.select(RefusalRow.columns, RefusalRow.table, by: "code")
            #expect(try Array(engine.ask(back)) == body.bytes)
        }
    }
}

/// By which the engine orders devices: a text of the same order as the bytes.
private func hex(_ device: [UInt8]) -> String { DeviceHash(device)?.hex ?? "" }
