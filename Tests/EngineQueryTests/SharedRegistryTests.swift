import Database
import Engine
import EngineTestSupport
import Forwarding
import Storage
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// docs/scale.md, One cluster.
@Suite(
    "a registry that an engine has", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct SharedRegistryTests {
    private let folder = TemporaryFolder()

    /// What counts in the engine, as `kind name version body`.
    private func rows(_ engine: TestEngine) throws -> [String] {
        let answer = try engine.session.send(
            .read(
                """
                SELECT concat(kind, ' ', name, ' ', toString(version), ' ', body)
                FROM registry FINAL ORDER BY kind, name
                """), toShard: 0)
        var reader = RowBinary.Reader(answer)
        var rows: [String] = []
        while !reader.isAtEnd { rows.append(try reader.string()) }
        return rows
    }

    @Test(
        "a node gives it again what it has lost, and older rows do not count",
        arguments: TestEngine.clusters)
    func lost(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "registry")
        defer { engine.remove() }
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        let registry = SharedRegistry(
            store.registry, engine.session, node: "a", now: { 1_763_700_000_000 })
        #expect(try registry.layDown() == 1)
        try engine.change("CREATE TABLE older AS registry ENGINE = Memory")
        try engine.change("INSERT INTO older SELECT * FROM registry")
        _ = try registry.change { (registry) throws(StorageError) in
            try registry.setApp("shop", AppChange(title: "Shoes"))
        }
        _ = try registry.change { (registry) throws(StorageError) in try registry.addApp("two") }
        let all = try rows(engine)
        #expect(all.count == 2 && all[0].contains("Shoes"))
        for isOlder in [false, true] {
            try engine.change("TRUNCATE TABLE registry")
            if isOlder { try engine.change("INSERT INTO registry SELECT * FROM older") }
            #expect(try registry.pull().count == 0)
            #expect(try rows(engine) == all)
        }
        #expect(store.registry.snapshot.apps.count == 2)
        try store.close()
    }

    @Test(
        "a node that is behind lays nothing newer down where all is lost",
        arguments: TestEngine.clusters)
    func behind(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "behind_registry")
        defer { engine.remove() }
        let folders = [folder, TemporaryFolder()]
        defer { withExtendedLifetime(folders) {} }
        let stores = try folders.map { try Store.open($0.options) }
        // What one lays down later has a later version.
        let clock = Mutex<Int64>(1_763_700_000_000)
        let registries = stores.enumerated().map { index, store in
            SharedRegistry(
                store.registry, engine.session, node: "n\(index)",
                now: {
                    clock.withLock {
                        $0 += 1000; return $0
                    }
                })
        }
        _ = try stores[0].registry.addApp("shop")
        #expect(try registries[0].layDown() == 1)
        #expect(try registries[1].pull().count == 1)
        _ = try registries[0].change { (registry) throws(StorageError) in
            try registry.setApp("shop", AppChange(title: "Shoes"))
        }
        let all = try rows(engine)
        try engine.change("TRUNCATE TABLE registry")
        #expect(try registries[1].layDown() == 1)
        try registries[0].pull()
        #expect(try rows(engine) == all)
        try registries[1].pull()
        #expect(stores[1].registry.snapshot.apps.map(\.title) == ["Shoes"])
        for store in stores { try store.close() }
    }
}
