import Database
import Engine
import EngineTestSupport
import Events
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Upkeep

@testable import Forwarding

/// docs/scale.md, Hand-over; Erasing, pruning, copies.
@Suite(
    "rounds of a forwarder", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct HandOverRoundTests {
    /// Two nodes, of which the first has stored batches: of so many devices, in turn.
    private func nodes(
        _ engine: TestEngine, batches count: Int, devices: Int
    ) throws -> (nodes: PrunedNodes, batches: [AcceptedBatch]) {
        let nodes = try PrunedNodes(engine, timeout: 600_000, zone: "UTC")
        let batches = try (0..<count).map {
            try AcceptedBatch(
                SentBatch(device: "d\($0 % devices)", id: "b\($0)", events: []), app: 1)
        }
        #expect(nodes.nodes[0].store.writer.storeTogether(batches).allSatisfy { $0 == .stored })
        return (nodes, batches)
    }

    @Test(
        "nothing of a device that is erased is in a unit that was read before",
        arguments: TestEngine.clusters)
    func erasedMeanwhile(cluster: [String]) throws {
        let engine = try TestEngine(cluster, database: "rounds")
        defer { engine.remove() }
        let (nodes, batches) = try nodes(engine, batches: 8, devices: 4)
        let store = nodes.nodes[0].store
        var options = ForwarderOptions(node: "a", interval: 50) { noon + day }
        options.unitLimit.batches = 2
        let round = try HandOverRound(
            store, engine.session, options, ForwarderObserver(), MarkResets())
        // The second unit is read while this one is on its way.
        #expect(try round.run(isUrged: true) { _ in })
        #expect(try engine.stored() == ["b0", "b1"])
        let erasures = SharedErasures(nodes.nodes[1].store, engine.session, node: "b")
        try erasures.announce(
            ErasureReceipt(app: "shop", device: batches[2].device, moment: noon + day))
        while try round.run(isUrged: true, { _ in }) {}
        #expect(try engine.stored() == ["b0", "b1", "b3", "b4", "b5", "b7"])
    }

    @Test(
        "what a shard's copy has brought back is erased once more where all is handed over again",
        arguments: TestEngine.clusters)
    func erasedAgain(cluster: [String]) throws {
        let engine = try TestEngine(cluster, database: "restored_shard")
        defer { engine.remove() }
        let (nodes, batches) = try nodes(engine, batches: 2, devices: 2)
        let store = nodes.nodes[0].store
        let options = ForwarderOptions(node: "a", interval: 50) { noon + day }
        func handOver() throws {
            let round = try HandOverRound(
                store, engine.session, options, ForwarderObserver(), MarkResets())
            while try round.run(isUrged: true, { _ in }) {}
        }
        try handOver()
        let tables = ["batch", "arrival"]
        for table in tables {
            try engine.change("CREATE TABLE kept_\(table) AS \(table) ENGINE = Memory")
            try engine.change("INSERT INTO kept_\(table) SELECT * FROM \(table)")
        }
        let erasures = SharedErasures(nodes.nodes[1].store, engine.session, node: "b")
        try erasures.announce(
            ErasureReceipt(app: "shop", device: batches[0].device, moment: noon + day))
        try handOver()
        #expect(try engine.stored() == ["b1"])
        for table in tables {
            try engine.change("INSERT INTO \(table) SELECT * FROM kept_\(table)")
        }
        try HandOverMarks.again(from: noon, store)
        try handOver()
        #expect(try engine.stored() == ["b1"])
        let arrivals = try engine.session.sendToAll(
            .read("SELECT count() FROM arrival FINAL WHERE batch_id = 'b0'"))
        #expect(arrivals.allSatisfy { $0.allSatisfy { $0 == 0 } })
    }

    @Test("a shard that was made anew gets everything", arguments: TestEngine.clusters)
    func emptied(cluster: [String]) throws {
        let engine = try TestEngine(cluster, database: "emptied")
        defer { engine.remove() }
        let (nodes, batches) = try nodes(engine, batches: 8, devices: 8)
        let store = nodes.nodes[0].store
        let ids = batches.map(\.batchID)
        let clock = Mutex<Int64>(noon + day)
        let options = ForwarderOptions(node: "a", interval: 50) { clock.withLock(\.self) }
        let told = Mutex<[Int64?]>([])
        var observer = ForwarderObserver()
        observer.again = { _, moment in told.withLock { $0.append(moment) } }
        let round = try HandOverRound(store, engine.session, options, observer, MarkResets())
        func handOver() throws { while try round.run(isUrged: true, { _ in }) {} }
        try handOver()
        #expect(try engine.stored() == ids)
        // Longer ago than what goes again after a start.
        clock.withLock { $0 += 2 * hour }
        try handOver()
        try engine.change("TRUNCATE TABLE alive")
        try handOver()
        try engine.change("TRUNCATE TABLE alive")
        // What another node has had, too, it has handed over already.
        try engine.change("CREATE TABLE kept AS batch ENGINE = Memory")
        try engine.change("INSERT INTO kept SELECT * FROM batch WHERE batch_id = 'b0'")
        try engine.change("TRUNCATE TABLE batch")
        try engine.change("INSERT INTO batch SELECT * FROM kept")
        try handOver()
        #expect(try engine.stored() == ids)
        let all = told.withLock(\.self)
        #expect(all.count == 2 * cluster.count)
        #expect(all.prefix(cluster.count).allSatisfy { $0 != nil })
        #expect(all.suffix(cluster.count).first == .some(nil))
    }

    @Test("rows of erasures that nobody wrote harm nobody", arguments: TestEngine.addresses)
    func strangeErasures(address: String) throws {
        let engine = try TestEngine([address], database: "strange_erasures")
        defer { engine.remove() }
        let nodes = try PrunedNodes(engine, timeout: 600_000, zone: "UTC")
        let store = nodes.nodes[0].store
        let batch = try AcceptedBatch(SentBatch(device: "d", id: "b", events: []), app: 1)
        #expect(store.writer.storeAlone(batch) == .stored)
        for moment: Int64 in [.min, -1, .max, 1 << 60] {
            var rows = RowBinary.Writer()
            rows.raw(Array(repeating: 7, count: 32))
            rows.int64(moment)
            rows.string("x")
            try engine.insert(
                rows.bytes, into: "erasure", ["digest", "erased_at", "node"], shard: 0)
        }
        let options = ForwarderOptions(node: "a", interval: 50) { noon + day }
        let round = try HandOverRound(
            store, engine.session, options, ForwarderObserver(), MarkResets())
        while try round.run(isUrged: true, { _ in }) {}
        #expect(try engine.stored() == ["b"])
        #expect(try store.receipts().isEmpty)
    }

    @Test(
        "a node that was about to say something is retired all the same",
        arguments: TestEngine.addresses)
    func retired(address: String) throws {
        let engine = try TestEngine([address], database: "retired")
        defer { engine.remove() }
        let now = try NodeTable.now(engine.session)
        let said = { @Sendable (moment: Int64) in
            NodeTable.insert(
                "a", completeTo: now, isRetired: false,
                version: SharedRegistry.version(at: moment, node: "a"))
        }
        _ = try engine.session.send(said(now), toShard: NodeTable.shard)
        let access = engine.servers
        let looks = Mutex(0)
        // What has begun before comes between two looks.
        let polling = Polling { _ in
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            guard look == 2, let session = try? EngineSession(access) else { return }
            _ = try? session.send(said(now + 2_000), toShard: NodeTable.shard)
        }
        #expect(try NodeTable.retire("a", engine.session, polling: polling))
        #expect(try NodeTable.all(engine.session).map(\.isRetired) == [true])
        #expect(looks.withLock(\.self) > 2)
        #expect(try !NodeTable.retire("b", engine.session, polling: polling))
    }
}
