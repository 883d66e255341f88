import Engine
import EngineTestSupport
import Events
import Forwarding
import Foundation
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// docs/scale.md, Settings: two nodes of one name harm no data.
@Suite(
    "nodes of one name", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct TwinTests {
    @Test(
        "both hand over again what a server's start may have lost", arguments: TestEngine.clusters)
    func bothAgain(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "twins")
        defer { engine.remove() }
        let nodes = try PrunedNodes(engine, timeout: 600_000, zone: "UTC")
        let options = ForwarderOptions(node: "n", interval: 50) {
            Int64(Date().timeIntervalSince1970 * 1000)
        }
        let forwarders = nodes.nodes.map { Forwarder($0.store, to: engine.servers, options) }
        for forwarder in forwarders { forwarder.start() }
        defer { for forwarder in forwarders { forwarder.close() } }
        for node in nodes.nodes {
            let batch = try AcceptedBatch(
                SentBatch(device: "d-\(node.name)", id: node.name, events: []), app: 1)
            #expect(node.store.writer.storeAlone(batch) == .stored)
        }
        #expect(eventually { (try? engine.stored()) == ["a", "b"] })
        try engine.change("TRUNCATE TABLE batch")
        try engine.change("TRUNCATE TABLE alive")
        #expect(eventually { (try? engine.stored()) == ["a", "b"] })
    }
}
