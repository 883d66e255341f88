import Events
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("pruning a node of several (docs/scale.md, Erasing, pruning, copies)")
struct PruneSparingTests {
    private let folder = TemporaryFolder()
    private static let day: Int64 = 86_400_000
    private static let noon = Batches.noon

    private func open() throws -> Store {
        var options = folder.options
        options.now = { Self.noon + Self.day }
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    private static func event(
        _ device: Int, _ batch: String, _ index: Int, _ session: String?
    ) -> PrunePopulation.Event {
        .init(
            device: device, batch: batch, index: index, time: noon + Int64(index),
            name: "screen.view", session: session, content: nil)
    }

    private func store(_ store: Store, _ events: [PrunePopulation.Event]) throws {
        for (batch, events) in Dictionary(grouping: events, by: \.batch) {
            let made = PrunePopulation.batch(events[0].device, batch, events)
            #expect(store.writer.storeAlone(made) == .stored)
        }
    }

    private func left(_ store: Store) throws -> [String] {
        try store.reader().rows(
            """
            SELECT b.batch_id || '|' || (e.id & 8191)
            FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 ORDER BY 1
            """)
    }

    private static func text(_ session: EndedSession) -> String {
        String(decoding: session.session, as: UTF8.self)
    }

    @Test("a session that goes on elsewhere stays whole, others and events without one go")
    func spared() throws {
        let store = try open()
        let odd = "a\\\"é\u{1F600}"
        try self.store(
            store,
            [
                Self.event(1, "a", 0, "s"), Self.event(1, "a", 2, "t"),
                Self.event(1, "a", 4, nil), Self.event(1, "b", 6, "s"),
                Self.event(2, "c", 0, "s"), Self.event(2, "c", 2, odd),
            ])
        var asked: [String] = []
        let sparing = PruneSparing { app, sessions in
            asked += sessions.map { "\($0.device.low) \(Self.text($0))" }
            #expect(app.name == "shop")
            return Set(
                sessions.filter {
                    $0.device == Batches.device(1) ? Self.text($0) == "s" : Self.text($0) != "s"
                })
        }
        let pruned = try store.prune(before: Self.noon + 100, sparing: sparing)
        #expect(pruned.events == 3 && pruned.isWhole)
        // Sessions are stored as JSON.
        #expect(asked.sorted() == ["1 s", "1 t", "2 a\"é\u{1F600}", "2 s"])
        #expect(try left(store) == ["a|0", "b|6", "c|2"])
        #expect(try store.prune(before: Self.noon + 100).events == 3)
    }

    @Test("where it is not known what goes on, nothing goes, and the next prune does it")
    func atLoss() throws {
        let store = try open()
        try self.store(store, [Self.event(1, "a", 0, "s"), Self.event(1, "a", 2, nil)])
        let pruned = try store.prune(
            before: Self.noon + 100, day: 20_500, sparing: PruneSparing { _, _ in nil })
        #expect(pruned.events == 0 && !pruned.isWhole)
        #expect(try store.prunedAt() == 0 && left(store).count == 2)
        #expect(try store.prune(before: Self.noon + 100, day: 20_501).isWhole)
        #expect(try store.reader().prunedDay() == 20_501)
    }

    @Test("a session that was open at the moment of the prune stays, whenever it is carried out")
    func moment() throws {
        let store = try open()
        try self.store(store, [Self.event(1, "a", 0, "s")])
        let timeout = App.defaultSessionTimeout
        #expect(try store.prune(before: Self.noon + 1, at: Self.noon + timeout - 1).events == 0)
        #expect(try store.prune(before: Self.noon + 1, at: Self.noon + timeout).events == 1)
    }

    @Test("a limit that is only known counts at once, and says nothing of what is stored")
    func raised() throws {
        let store = try open()
        #expect(try store.reader().prunedDay() == 0)
        try self.store(store, [Self.event(1, "a", 0, nil)])
        #expect(try store.mayHaveEvents(before: Self.noon + 1))
        #expect(try !store.mayHaveEvents(before: Self.noon))
        try store.raisePruneFloor(to: PruneFloor(limit: Self.noon + 1, age: nil))
        #expect(try store.pruneFloor()?.limit == Self.noon + 1)
        #expect(try store.reader().prunedDay() == 0 && left(store).count == 1)
        try store.raisePruneFloor(to: PruneFloor(limit: Self.noon, age: nil))
        #expect(try store.pruneFloor()?.limit == Self.noon + 1)
        #expect(try store.prune(before: Self.noon + 1, day: 3).events == 1)
        #expect(try store.reader().prunedDay() == 3)
        // A lower number never counts.
        #expect(try store.prune(before: Self.noon, day: 2).isWhole)
        #expect(try store.reader().prunedDay() == 3)
        try store.raisePruneFloor(to: PruneFloor(limit: Self.noon + 2, age: nil))
        #expect(try store.reader().prunedDay() == 3)
    }

    @Test("many devices are asked about together, a portion at a time")
    func portions() throws {
        let store = try open()
        let batches = (1...600).map { Batches.make("b\($0)", device: $0) }
        _ = store.writer.storeTogether(batches)
        var counts: [Int] = []
        let sparing = PruneSparing { _, sessions in
            counts.append(sessions.count)
            return Set(sessions.filter { $0.device.low % 2 == 0 })
        }
        #expect(try store.prune(before: Self.noon + 1, sparing: sparing).events == 300)
        #expect(counts == [256, 256, 88])
    }
}
