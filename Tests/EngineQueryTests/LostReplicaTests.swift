import Curl
import Engine
import EngineTestSupport
import Events
import Forwarding
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Upkeep

/// docs/scale.md, Erasing, pruning, copies.
@Suite(
    "erasures while replicas are lost", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct LostReplicaTests {
    private static let closed = "http://127.0.0.1:1"

    private func session(_ engine: TestEngine, _ replicas: String) throws -> EngineSession {
        var access = engine.servers.access
        access = EngineAccess(
            shards: try EngineAccess.shards(parsing: [replicas]), user: access.user,
            password: access.password, database: access.database, timeout: access.timeout)
        return try EngineSession(EngineServers(access, identity: nil))
    }

    private func count(_ engine: TestEngine) throws -> UInt64 {
        var reader = RowBinary.Reader(
            try engine.session.send(.read("SELECT count() FROM batch FINAL"), toShard: 0))
        return try reader.uint64()
    }

    @Test("those that are there do it, and the other is named", arguments: TestEngine.addresses)
    func oneIsLost(address: String) throws {
        let engine = try TestEngine(
            [address], database: "lost")
        defer { engine.remove() }
        let nodes = try PrunedNodes(engine, timeout: 600_000, zone: "UTC")
        let node = nodes.nodes[0]
        let batch = try AcceptedBatch(SentBatch(device: "d", id: "b", events: []), app: 1)
        #expect(node.store.writer.storeAlone(batch) == .stored)
        var random = SplitMix(seed: 1)
        try nodes.handOver(node, &random)
        #expect(try count(engine) == 1)
        let erasure = ReceiptedDevice(app: "shop", device: batch.device, moment: noon + day)
        let failures = try SharedErasures(
            node.store, session(engine, "\(address) \(Self.closed)"), node: "a"
        ).delete(erasure)
        #expect(failures.map(\.kind) == [.refused])
        #expect(failures.first?.description.contains(Self.closed) == true)
        #expect(try count(engine) == 0)
        #expect(throws: ForwardingError.self) {
            try SharedErasures(
                node.store, session(engine, "\(Self.closed) http://127.0.0.1:2"), node: "a"
            ).delete(erasure)
        }
    }
}
