import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@testable import Query
@testable import Storage

@Suite("Completions before a range")
struct EarlierCompletionsTests {
    private struct Sent: Hashable {
        let device: String
        let content: String
        /// Milliseconds since 1970-01-01T00:00:00Z.
        let time: Int64
    }

    private let minute: Int64 = 60_000

    /// Of few devices and contents, within four days, no two in the same minute.
    private func completions(_ random: inout SplitMix) -> [Sent] {
        Array(-2880..<2880).shuffled(using: &random).prefix(160).map { (at: Int64) in
            Sent(
                device: "d\(Int.random(in: 0..<8, using: &random))",
                content: "c\(Int.random(in: 0..<6, using: &random))", time: noon + at * minute)
        }
    }

    private func batch(_ sent: ArraySlice<Sent>, _ id: String) -> [SentBatch] {
        Dictionary(grouping: sent) { $0.device }.map { device, sent in
            SentBatch(
                device: device, id: id,
                events: sent.flatMap { one in
                    [
                        SentEvent(
                            "content.complete", one.time, nil,
                            [("content.id", "\"\(one.content)\"")]),
                        SentEvent("content.view", one.time, nil, [("content.id", "\"other\"")]),
                    ]
                })
        }
    }

    private func credited(
        _ store: TestStore, _ date: String, _ environment: ReportEnvironment
    ) throws -> [ByteText: Int] {
        let scope = try store.scope(date, date)
        let sums = try SegmentQueries(store.connection, Interruption(), environment).transaction {
            (queries) throws(QueryError) in
            try queries.contents(scope, limit: 100)
        }
        return Dictionary(
            uniqueKeysWithValues: sums.filter { $0.credited > 0 }.map {
                ($0.content, $0.credited)
            })
    }

    /// By the first completion of each device and content.
    private func wanted(
        _ sent: [Sent], _ store: TestStore, _ date: String
    ) throws -> [ByteText: Int] {
        let scope = try store.scope(date, date)
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let firsts = Dictionary(grouping: sent) { [$0.device, $0.content] }.compactMap {
            $0.value.min { $0.time < $1.time }
        }
        return Dictionary(grouping: firsts.filter { window.contains($0.time) }) {
            ByteText($0.content)
        }.mapValues(\.count)
    }

    @Test(
        "take the credit away, whatever earlier reports have found out about segments",
        arguments: ["UTC", "Asia/Tokyo", "America/New_York"], 0..<4)
    func known(zone: String, seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let sent = completions(&random)
        let store = try TestStore(timeZone: zone)
        let environment = ReportEnvironment()
        var count = 0
        while count < sent.count {
            let more = min(sent.count, count + Int.random(in: 8...32, using: &random))
            for one in batch(sent[count..<more], "\(count)") { try store.store(one) }
            count = more
            if Bool.random(using: &random) {
                let limit = [1, 20].randomElement(using: &random) ?? 1
                try Segmenter(store.connection, limit: limit).begin()
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                // Their rows count until they are made anew.
                try store.connection.execute(
                    "INSERT OR IGNORE INTO stale_day (app, day) SELECT app, day FROM segment LIMIT 1"
                )
            } else {
                try store.rebuildStaleDays()
            }
            for date in ["2026-03-28", "2026-03-29", "2026-03-27", "2026-03-30"] {
                #expect(
                    try credited(store, date, environment)
                        == wanted(Array(sent[..<count]), store, date), "\(date), \(count)")
            }
        }
    }

    @Test("are remembered of segments, and read no more")
    func remembered() throws {
        let sent = (0..<40).map { (at: Int64) in
            Sent(device: "d\(at % 4)", content: "c\(at % 5)", time: noon - 1_000 * minute * at)
        }
        let store = try TestStore(batch(sent[...], "1"))
        try Segmenter(store.connection, limit: 1).begin()
        let environment = ReportEnvironment()
        let reading = Reading(store.connection, Interruption(), environment)
        var stored: [SegmentCache.Segment] = []
        _ = try reading.segmentList(
            of: store.app.id, EventList.always.lowerBound..<noon - 86_400_000 / 2
        ) { segment in
            stored.append(segment)
            return false
        }
        #expect(stored.count > 20)
        #expect(environment.completions.known(stored).segments.isEmpty)
        _ = try credited(store, "2026-03-28", environment)
        let known = environment.completions.known(stored)
        #expect(known.segments.count == stored.count)
        #expect(known.segments.values.reduce(0) { $0 + $1.devices.count } == 39)
        #expect(known.texts.count == 5)
    }

    @Test("are forgotten with their texts, where these become too many")
    func forgotten() {
        let room = CacheRoom()
        let completions = KnownCompletions(bytes: 1 << 16, room: room)
        let texts = (0..<4_000).map { Array("\"content \($0)\"".utf8)[...] }
        let segments = (0..<20).map { SegmentCache.Segment(row: $0, checksum: 0) }
        for (index, segment) in segments.enumerated() {
            let own = (0..<200).map { index * 200 + $0 }
            completions.keep(
                segment, devices: own.map { UInt32($0) }, subjects: own, texts: texts)
            let known = completions.known(segments)
            #expect(known.segments[segment] != nil && known.texts.count <= 1_000)
            for kept in known.segments.values {
                for (device, content) in zip(kept.devices, kept.contents) {
                    let text = texts[Int(device)]
                    let number = known.texts.known(scalar: text.span)
                    #expect(number == Int(content))
                }
            }
        }
        #expect(completions.known(segments).segments.count < 20)
        room.leave(0)
        #expect(completions.known(segments).segments.isEmpty && room.bytes == 0)
    }

    @Test("are not kept of a segment whose texts are too long")
    func tooLong() {
        let room = CacheRoom()
        let completions = KnownCompletions(bytes: 1 << 16, room: room)
        let texts = (0..<2_000).map { Array("\"content \($0)\"".utf8)[...] }
        let segment = SegmentCache.Segment(row: 1, checksum: 0)
        let all = Array(texts.indices)
        completions.keep(
            segment, devices: all.map { UInt32($0) }, subjects: all, texts: texts)
        #expect(completions.known([segment]).segments.isEmpty && room.bytes == 0)
        completions.keep(segment, devices: [7, 8], subjects: [3, 1_999], texts: texts)
        #expect(completions.known([segment]).segments[segment]?.devices == [7, 8])
    }
}
