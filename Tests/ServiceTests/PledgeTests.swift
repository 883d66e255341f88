import EngineTestSupport
import Forwarding
import TestSupport
import Testing

@testable import Engine
@testable import Service

/// docs/scale.md, Reports: `Sojourn-Complete-To`.
@Suite(
    "how far an answer is complete",
    .tags(.long), .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"),
    .serialized)
struct PledgeTests {
    private static let moment: Int64 = 1_763_700_000_000

    /// Says of a node what it would say, and that it has seen to all shards.
    private func enter(
        _ node: String, completeTo: Int64, version: UInt64 = 1, isRetired: Bool = false,
        in engine: TestEngine
    ) throws {
        var rows = RowBinary.Writer()
        rows.string(node)
        rows.uint64(version)
        rows.int64(completeTo)
        rows.uint8(isRetired ? 1 : 0)
        try engine.insert(
            rows.bytes, into: "node", ["node", "version", "complete_to", "retired"], shard: 0)
        var alive = RowBinary.Writer()
        alive.string(node)
        for shard in engine.servers.access.shards.indices {
            try engine.insert(alive.bytes, into: "alive", ["node"], shard: shard)
        }
    }

    private func reading(_ engine: TestEngine) throws -> EngineReading {
        try EngineReading(engine.servers, timeout: 60_000, isUnwanted: { false })
    }

    @Test(
        "as far as the least of the nodes, once each has seen to every server",
        arguments: TestEngine.clusters)
    func least(cluster: [String]) throws {
        let engine = try TestEngine(cluster, database: "pledges")
        defer { engine.remove() }
        let seen = SeenNodes()
        func completeTo() throws -> Int64? {
            try Pledge(reading(engine), engine.servers, seen)?.completeTo
        }
        #expect(try completeTo() == nil, "there is no node")
        try enter("a", completeTo: Self.moment + 5, in: engine)
        #expect(try completeTo() == Self.moment + 5)
        try enter("b", completeTo: Self.moment, in: engine)
        #expect(try completeTo() == Self.moment)
        try engine.change("TRUNCATE TABLE alive")
        #expect(try completeTo() == nil, "a server was started")
        try enter("a", completeTo: Self.moment, version: 2, in: engine)
        #expect(try completeTo() == nil, "one has not noticed")
        try enter("b", completeTo: Self.moment + 1, version: 2, in: engine)
        #expect(try completeTo() == Self.moment)
        try enter("b", completeTo: 0, version: 3, isRetired: true, in: engine)
        #expect(try completeTo() == Self.moment)
        // The engine is new, and one node has come before the other.
        try engine.change("TRUNCATE TABLE node")
        try enter("a", completeTo: Self.moment, in: engine)
        #expect(try completeTo() == Self.moment, "the other was retired")
        try enter("b", completeTo: Self.moment, in: engine)
        #expect(try completeTo() == Self.moment)
        try engine.change("TRUNCATE TABLE node")
        try enter("a", completeTo: Self.moment, in: engine)
        #expect(try completeTo() == nil, "what has become of the other nobody knows")
        try enter("b", completeTo: Self.moment, in: engine)
        #expect(try completeTo() == Self.moment)
    }

    @Test("no server was started since, and none has given way", arguments: TestEngine.clusters)
    func kept(cluster: [String]) throws {
        let engine = try TestEngine(cluster, database: "kept_pledges")
        defer { engine.remove() }
        try enter("a", completeTo: Self.moment, in: engine)
        let reading = try reading(engine)
        let pledge = try #require(try Pledge(reading, engine.servers))
        #expect(try pledge.kept(by: reading)?.completeTo == Self.moment)
        #expect(pledge.starts.count == cluster.count)
        for index in pledge.starts.indices {
            let start = pledge.starts[index]
            for change: Int64 in [-60, -5, 5, 60] {
                var starts = pledge.starts
                starts[index] = EngineReading.Start(
                    server: start.server, moment: start.moment + change)
                let other = Pledge(completeTo: Self.moment, starts: starts)
                #expect(try other.kept(by: reading) == nil)
            }
        }
        #expect(try Pledge?.none.kept(by: reading) == nil)
    }

    /// A server as if it were two replicas of its shard.
    private func replicated(_ engine: TestEngine) -> EngineServers {
        let access = engine.servers.access
        return EngineServers(
            EngineAccess(
                shards: access.shards.map { $0 + $0 }, user: access.user,
                password: access.password, database: access.database, timeout: access.timeout),
            identity: nil)
    }

    @Test(
        "of replicas it is believed once all nodes have looked since they were started",
        arguments: TestEngine.addresses)
    func replicas(address: String) throws {
        let engine = try TestEngine([address], database: "replicated_pledges")
        defer { engine.remove() }
        let servers = replicated(engine)
        let reading = try EngineReading(servers, timeout: 60_000, isUnwanted: { false })
        let start = try reading.starts()[0].moment * 1000
        func completeTo(seenAt moment: Int64) throws -> Int64? {
            try engine.change("TRUNCATE TABLE node")
            try enter(
                "a", completeTo: Self.moment, version: UInt64(start + moment) << 5, in: engine)
            return try Pledge(reading, servers)?.completeTo
        }
        #expect(try completeTo(seenAt: -60_000) == nil)
        #expect(try completeTo(seenAt: 1_000) == nil, "clocks tell whole seconds")
        #expect(try completeTo(seenAt: 6_000) == Self.moment)
    }
}
