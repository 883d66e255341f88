import Columns
import StoreTestSupport
import TestSupport
import Testing

@testable import Query
@testable import Storage

@Suite("Stretches of a range")
struct StretchesTests {
    /// Steps of a funnel on many days, in segments and in rows.
    private func store() throws -> (store: TestStore, batches: [SentBatch]) {
        var random = SplitMix(seed: 3)
        let batches = (0..<120).map { number in
            SentBatch(
                device: "d\(number % 25)", id: "b\(number)", resource: [:],
                events: (0..<8).map { _ in
                    let time = noon - .random(in: 0...20 * 24, using: &random) * hour
                    // Hardly a hit in the first half of the range, and then many.
                    let isHit = time > noon - 9 * 24 * hour || random.next(20) == 0
                    let name = ["a", "b", "c"].randomElement(using: &random) ?? ""
                    return SentEvent(isHit ? name : "z", time, nil)
                })
        }
        let store = try TestStore(Array(batches.prefix(100)))
        try Segmenter(store.connection, limit: 5).begin()
        for batch in batches.dropFirst(100) { try store.store(batch) }
        return (store, batches)
    }

    @Test("have all of it, each instant once, and are cut at midnights", arguments: [1, 3, 1000])
    func cut(most: Int) throws {
        let store = try store().store
        let reading = Reading(store.connection, Interruption())
        let scope = try store.scope("2026-03-10", "2026-03-27")
        let window = scope.zone.window(from: scope.from, to: scope.to)
        var stretches = try Stretches(scope, reading)
        var (reached, count) = (window.lowerBound, 0)
        while let stretch = stretches.next(most: most) {
            #expect(stretch.lowerBound == reached && !stretch.isEmpty)
            #expect(reached == window.lowerBound || reached % Segment.dayLength == 0)
            reached = stretch.upperBound
            count += 1
        }
        #expect(reached == window.upperBound)
        #expect(most == 1000 ? count == 1 : count > 3)
    }

    @Test("a funnel is the same, in however many", arguments: [1, 40, 1 << 20])
    func funnel(hits: Int) throws {
        let (store, batches) = try store()
        let reading = Reading(store.connection, Interruption())
        let scope = try store.scope("2026-03-10", "2026-03-27")
        let window = scope.zone.window(from: scope.from, to: scope.to)
        // In between, stretches become too long and are begun anew.
        let steps = try ["a", "b", "c"].map { try #require(EventMatcher(parsing: ByteText($0))) }
        var wanted = [0, 0, 0]
        for (_, batches) in Dictionary(grouping: batches, by: \.device) {
            var walk = FunnelWalk(steps: 3, within: 6 * hour)
            let events = batches.flatMap(\.events).filter {
                window.contains($0.time) && $0.name != "z"
            }
            for (time, events) in Dictionary(grouping: events, by: \.time).sorted(by: {
                $0.key < $1.key
            }) {
                let masks = events.map { UInt16(1) << UInt16(($0.name.utf8.first ?? 97) - 97) }
                walk.add(time, masks.sorted()[...])
            }
            for step in 0..<walk.furthest { wanted[step] += 1 }
        }
        #expect(wanted[2] > 0 && wanted[2] < wanted[0])
        #expect(
            try FunnelQuery.run(scope, steps, within: 6 * hour, hitsAtOnce: hits, reading)
                == wanted)
    }
}
