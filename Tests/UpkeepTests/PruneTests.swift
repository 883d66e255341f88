import Events
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("pruning (docs/operation.md, Retention)")
struct PruneTests {
    let folder = TemporaryFolder()
    private let clock: Clock

    private final class Clock: Sendable {
        let now = Atomic<Int64>(Batches.noon)
    }

    init() { clock = Clock() }

    private func open() throws -> Store {
        var options = folder.options
        let clock = clock
        options.now = { clock.now.load(ordering: .relaxed) }
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    private func device(_ column: String) -> String {
        "CASE hex(\(column)) "
            + (1...5).map { "WHEN '\(Batches.device($0).hex.uppercased())' THEN \($0)" }
            .joined(separator: " ") + " END"
    }

    private func events(_ store: Store) throws -> [String] {
        try store.reader().rows(
            """
            SELECT \(device("d.hash")) || '|' || b.batch_id || '|' || (e.id & 8191)
            FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN device AS d ON d.id = b.device
            ORDER BY 1
            """
        ).sorted()
    }

    private func completions(_ store: Store) throws -> [String] {
        try store.reader().rows(
            """
            SELECT \(device("d.hash")), c.content, c.time, b.batch_id, c.event & 8191
            FROM completion AS c JOIN device AS d ON d.id = c.device
            JOIN batch AS b ON b.id = c.event >> 13
            """
        ).sorted()
    }

    /// What must not change, whatever is pruned.
    private func lasting(_ store: Store) throws -> [String] {
        try store.reader().rows(
            """
            SELECT batch_id, accepted, rejected, received_at, device, resource FROM batch
            UNION ALL
            SELECT hash, shared, first_time, first_batch_id, first_index, first_resource FROM device
            """
        ).sorted()
    }

    private func expectConsistent(_ store: Store) throws {
        let reader = try store.reader()
        let spans = try reader.rows(
            """
            SELECT count(*) FROM batch
            WHERE first_time IS NOT (
                SELECT min(received_at - late) FROM event WHERE event.id >> 13 = batch.id)
              OR last_time IS NOT (SELECT max(received_at - late) FROM event WHERE event.id >> 13 = batch.id)
              OR accepted - pruned <> (SELECT count(*) FROM event WHERE event.id >> 13 = batch.id)
            """)
        #expect(spans == ["0"])
        let content = try StoredContent(reader)
        for number in try reader.integers("SELECT id FROM batch") {
            let found = try #require(try content.read(number))
            #expect(found.actual == found.checksum)
        }
        #expect(
            try reader.rows(
                "SELECT count(*) FROM completion WHERE checksum <> "
                    + CheckedTable.completion.expression) == ["0"])
        #expect(
            try reader.rows(
                "SELECT text FROM name WHERE id NOT IN (SELECT name FROM event)") == [])
    }

    @Test(
        "what is left is what a count by hand leaves: old gone, young and spanning sessions whole",
        arguments: 0..<30)
    func population(_ seed: Int) throws {
        let store = try open()
        var population = PrunePopulation(seed: UInt64(seed))
        var left: Set<PrunePopulation.Event> = []
        var gone: Set<PrunePopulation.Event> = []
        var limit = Batches.noon
        var all: [AcceptedBatch] = []
        for round in 0..<3 {
            let batches = population.make(
                40, around: limit, floor: round == 0 ? .min : limit - 3_600_000)
            all += batches
            #expect(store.writer.storeTogether(batches).allSatisfy { $0 == .stored })
            left.formUnion(population.batches.suffix(40).flatMap(\.events))
            let before = try lasting(store)
            // Now and then so soon after the limit that sessions are still open.
            let now = limit + [60_000, 900_000, 86_400_000][(seed + round) % 3]
            clock.now.store(now, ordering: .relaxed)
            let doomed = PrunePopulation.doomed(left, limit: limit, now: now)
            let pruned = try store.prune(before: limit)
            #expect(pruned.events == Int64(doomed.count) && pruned.isWhole)
            left.subtract(doomed)
            gone.formUnion(doomed)
            #expect(try events(store) == left.map(\.row).sorted())
            #expect(try completions(store) == PrunePopulation.completions(gone))
            #expect(try lasting(store) == before)
            try expectConsistent(store)
            #expect(try store.pruneFloor()?.limit == limit && store.prunedAt() == now)
            limit += 3_600_000
        }
        // Repeats are known for ever, with the first answer's counts.
        let outcomes = store.writer.storeTogether(all)
        for (batch, outcome) in zip(all, outcomes) {
            #expect(outcome == .duplicate(accepted: batch.events.count, rejected: 0))
        }
        #expect(try events(store) == left.map(\.row).sorted())
    }

    @Test("one that is stopped leaves the rest to the next, also what only names its work")
    func stopped() throws {
        let store = try open()
        let old = (0..<400).map {
            Batches.make("b\($0)", device: 1 + $0 % 9, name: "app.old\($0 % 20)")
        }
        _ = store.writer.storeTogether(old)
        // Ended by itself, long ago.
        clock.now.store(Batches.noon + 86_400_000, ordering: .relaxed)
        var asked = 0
        let first = try store.prune(
            before: Batches.noon + 1,
            shouldStop: {
                asked += 1
                return asked > 10
            })
        #expect(!first.isWhole && first.events > 0 && first.events < 400)
        #expect(try store.prunedAt() == 0)
        let second = try store.prune(before: Batches.noon + 1)
        #expect(second.isWhole && first.events + second.events == 400)
        #expect(try store.reader().rows("SELECT text FROM name") == [])
        #expect(second.freed > 0 || first.freed > 0)
        // The writer knows that names went.
        #expect(store.writer.storeAlone(Batches.make("new", name: "app.old1")) == .stored)
        #expect(
            try store.reader().rows("SELECT text FROM event JOIN name ON name.id = name")
                == ["app.old1"])
        // The limit never falls.
        #expect(try store.prune(before: 5).limit == 5)
        #expect(try store.pruneFloor()?.limit == Batches.noon + 1)
    }

    @Test("a batch that names a session of which it has lost its events holds no session up")
    func nameWithoutEvents() throws {
        let store = try open()
        let hour: Int64 = 3_600_000
        let noon = Batches.noon
        func event(_ index: Int, _ time: Int64, _ session: String?, _ batch: String)
            -> PrunePopulation.Event
        {
            .init(
                device: 1, batch: batch, index: index, time: time, name: "screen.view",
                session: session, content: nil)
        }
        let first = [event(0, noon, "s", "a"), event(1, noon + 9 * hour, nil, "a")]
        #expect(store.writer.storeAlone(PrunePopulation.batch(1, "a", first)) == .stored)
        clock.now.store(noon + 10 * hour, ordering: .relaxed)
        #expect(try store.prune(before: noon + hour).events == 1)
        let late = [event(0, noon + 2 * hour, "s", "b")]
        #expect(store.writer.storeAlone(PrunePopulation.batch(1, "b", late)) == .stored)
        #expect(try store.prune(before: noon + 3 * hour).events == 1)
        #expect(try events(store) == ["1|a|1"])
    }

    @Test("the limit is announced before anything is deleted, and the greatest one of all")
    func announced() throws {
        let store = try open()
        _ = store.writer.storeAlone(Batches.make("b"))
        var told: [Int64] = []
        for limit in [Batches.noon - 5, Batches.noon - 9] {
            _ = try store.prune(before: limit, announce: { told.append($0.limit) })
        }
        #expect(told == [Batches.noon - 5, Batches.noon - 5])
    }

    @Test("batches go on being stored beside it, and a name that comes back is there", .tags(.long))
    func underLoad() throws {
        let store = try open()
        _ = store.writer.storeTogether(
            (0..<2000).map { Batches.make("b\($0)", device: 1 + $0 % 50, name: "app.back") })
        clock.now.store(Batches.noon + 90_000_000, ordering: .relaxed)
        let done = DispatchGroup()
        for stripe in 0..<4 {
            DispatchQueue.global().async(group: done) {
                for number in 0..<100 {
                    let batch = Batches.make(
                        "later\(stripe)-\(number)", device: 1 + number % 50,
                        times: [Batches.noon + 86_400_000], name: "app.back")
                    _ = store.writer.storeAlone(batch)
                }
            }
        }
        #expect(try store.prune(before: Batches.noon + 1).isWhole)
        done.wait()
        #expect(
            try store.reader().rows(
                "SELECT count(*) FROM event JOIN batch AS b ON b.id = event.id >> 13 "
                    + "WHERE b.received_at - late > \(Batches.noon)"
            )
                == ["400"])
        try expectConsistent(store)
    }

    @Test("a damaged batch keeps its events, so that verify finds it still")
    func damagedBatch() throws {
        let store = try open()
        let batches = (1...3).map { Batches.make("b\($0)", device: $0) }
        #expect(store.writer.storeTogether(batches) == [.stored, .stored, .stored])
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("UPDATE event SET late = late + 1 WHERE id >> 13 = 2")
        }
        clock.now.store(Batches.noon + 86_400_000, ordering: .relaxed)
        let pruned = try store.prune(before: Batches.noon + 1)
        #expect(pruned.events == 2 && pruned.damaged == 1 && pruned.isWhole)
        #expect(try events(store) == ["2|b2|0"])
        try store.close()
        let found = try Verification(folder.data).run().findings
        #expect(found.map(\.subject) == ["batch 2"])
    }

    @Test("more damaged events than are found at once do not keep it from its end")
    func muchDamage() throws {
        let store = try open()
        let times = Array(repeating: Batches.noon, count: 8_000)
        let batches = (0..<17).map { Batches.make("b\($0)", device: 1, times: times) }
        _ = store.writer.storeTogether(batches + [Batches.make("whole", device: 2)])
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("UPDATE batch SET body_bytes = 1 WHERE batch_id <> 'whole'")
        }
        clock.now.store(Batches.noon + 86_400_000, ordering: .relaxed)
        let pruned = try store.prune(before: Batches.noon + 1)
        #expect(pruned.events == 1 && pruned.damaged > 0 && pruned.isWhole)
    }

    @Test("a device that is being erased is left to that, and is no damage")
    func besideErasure() throws {
        let store = try open()
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        _ = store.writer.storeTogether((1...3).map { Batches.make("b\($0)", device: $0) })
        clock.now.store(Batches.noon + 86_400_000, ordering: .relaxed)
        let row = try #require(try store.detach(Batches.device(2), of: app))
        let pruned = try store.prune(before: Batches.noon + 1)
        #expect(pruned.events == 2 && pruned.damaged == 0)
        #expect(try store.finish(row).events == 1)
        try expectConsistent(store)
    }

    @Test("a slice has whole batches, and so many events as the writer can bear")
    func pace() {
        var pace = SlicePace()
        let events = (1...20).flatMap { Self.doomed(100, ofBatch: $0) }
        #expect(pace.count(of: events[...]) == 300)
        #expect(pace.count(of: events.prefix(100)) == 100)
        for _ in 0..<20 { pace.took(SliceTime(work: 50_000_000, commit: 0)) }
        #expect(pace.weight == SlicePace.bounds.lowerBound && pace.count(of: events[...]) == 100)
        pace.took(SliceTime(work: SlicePace.goal * 3 / 4, commit: 0))
        #expect(pace.weight == SlicePace.bounds.lowerBound)
        for _ in 0..<20 { pace.took(SliceTime(work: 10, commit: 0)) }
        #expect(
            pace.weight == SlicePace.bounds.upperBound && SlicePace.unhurried.weight == pace.weight)
        #expect(pace.count(of: events[...]) == 2000)
    }

    @Test("a long batch goes in several slices, each of which leaves it sound")
    func longBatch() throws {
        let store = try open()
        let times = (0..<5_000).map { Batches.noon - Int64($0) }
        #expect(store.writer.storeAlone(Batches.make("b", times: times)) == .stored)
        clock.now.store(Batches.noon + 86_400_000, ordering: .relaxed)
        // Before the device is looked at, and before its first slice.
        var left = 2
        let first = try store.prune(
            before: Batches.noon + 1,
            shouldStop: {
                left -= 1
                return left < 0
            })
        #expect(first.events > 0 && first.events < 2_000 && !first.isWhole)
        try expectConsistent(store)
        #expect(try store.prune(before: Batches.noon + 1).events == 5_000 - first.events)
        try expectConsistent(store)
    }

    @Test("a batch of which little goes weighs what is read of it, too")
    func rest() throws {
        let store = try open()
        let times = [-9, -8] + (0..<398 as Range<Int64>)
        for id in ["a", "b", "c", "d"] {
            var batch = Batches.make(id, times: times.map { Batches.noon + $0 })
            batch.sessionsJSON = nil
            for index in batch.events.indices { batch.events[index].session = -1 }
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        let now = Batches.noon + 1_000
        var search = try PruneSearch(limit: Batches.noon, now: now, store.reader())
        var names: Set<Int64> = []
        let events = try search.events(
            of: 1, timeout: 1, sparing: "[]", maxCount: 100, names: &names)
        #expect(events.map(\.weight) == [101, 1, 101, 1, 101, 1, 101, 1])
        #expect(SlicePace().count(of: events[...]) == 6)
    }

    private static func doomed(
        _ count: Int64, ofBatch batch: Int64, weight: Int32 = 1
    ) -> [PruneSearch.Doomed] {
        (0..<count).map { PruneSearch.Doomed(event: batch << 13 | $0, weight: weight) }
    }

    @Test("a long batch is cut, by rows and by their texts; an event of any length is a slice")
    func cutPace() {
        let pace = SlicePace()
        #expect(pace.count(of: Self.doomed(8_192, ofBatch: 1)[...]) == 256 + 1_024)
        let heavy = Self.doomed(100, ofBatch: 1, weight: Int32(SlicePace.weight(ofBytes: 16 << 10)))
        #expect(pace.count(of: heavy[...]) == 4 + 15)
        let huge = Self.doomed(2, ofBatch: 1, weight: 40_000)
        #expect(pace.count(of: huge[...]) == 1)
        #expect(SlicePace.weight(ofBytes: 0) == 1)
    }

    @Test("a slow disk makes no small slices, but what a large one takes to write does")
    func paceOfDisk() {
        var pace = SlicePace()
        let sync: UInt64 = 10_000_000
        for _ in 0..<20 { pace.took(SliceTime(work: 1_000_000, commit: sync)) }
        #expect(pace.weight == SlicePace.bounds.upperBound)
        for _ in 0..<20 { pace.took(SliceTime(work: 1_000_000, commit: 2 * sync)) }
        #expect(pace.weight == SlicePace.bounds.lowerBound)
        pace.took(SliceTime(work: .max, commit: .max))
        #expect(pace.weight == SlicePace.bounds.lowerBound)
    }
}
