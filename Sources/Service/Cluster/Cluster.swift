import Database
import Engine
import EngineQuery
import Forwarding
import Ingest
import Query
import Storage

/// A node's part in a cluster: the engine that it hands over to, which answers reports (docs/scale.md).
package final class Cluster: Sendable {
    let settings: ForwardSettings
    let servers: EngineServers
    let store: Store
    let seen = SeenNodes()
    /// Nil in a command, which hands over nothing.
    let forwarder: Forwarder?
    /// Nil where nothing limits the spool.
    let gauge: SpoolGauge?
    /// Raised by the prunes of all nodes.
    let floor: EventFloor

    /// For a command.
    package convenience init(_ settings: ForwardSettings, _ store: Store) throws(AdminFailure) {
        try self.init(settings, store, observer: nil)
    }

    /// For a server; it hands over nothing before `start`.
    /// - Parameter observer: told what is handed over; nil: nothing ever is
    init(
        _ settings: ForwardSettings, _ store: Store, observer: ForwarderObserver?,
        gauge: SpoolGauge? = nil, floor: EventFloor = EventFloor()
    ) throws(AdminFailure) {
        self.floor = floor
        self.gauge = gauge
        self.settings = settings
        self.store = store
        let access = try settings.access()
        let identity = EngineIdentity.of(store.masterKey, shards: settings.shards.count)
        servers = EngineServers(access, identity: identity)
        forwarder = observer.map { observer in
            Forwarder(
                // Its own: a report that fails at a replica has nothing handed over to another.
                store, to: EngineServers(access, identity: identity),
                ForwarderOptions(
                    node: settings.node, interval: settings.interval, now: store.now),
                observer: observer)
        }
    }

    /// Makes a change of the registry in the engine first, and then here.
    func change<T: Sendable>(
        _ work: (Registry) throws(StorageError) -> T
    ) throws(AdminFailure) -> T {
        try asking { () throws(ForwardingError) in
            try SharedRegistry(
                store.registry, try session(), node: settings.node, now: store.now
            ).change(work)
        }
    }

    /// From now on nothing that arrived from a moment on counts as handed over.
    /// - Parameter moment: milliseconds since 1970; nil: all
    func again(from moment: Int64?) throws(StorageError) {
        if let forwarder { return try forwarder.again(from: moment) }
        try HandOverMarks.again(from: moment, store)
    }

    /// - Parameter isUnwanted: looked at every now and then
    func session(
        until isUnwanted: @escaping @Sendable () -> Bool = { false }
    ) throws(ForwardingError) -> EngineSession {
        do throws(EngineError) {
            return try EngineSession(servers) { () throws(EngineError) in
                if isUnwanted() { throw EngineError(.interrupted, "it is not wanted any more") }
            }
        } catch {
            throw .engine(error)
        }
    }

    func asking<T>(
        _ work: () throws(ForwardingError) -> T
    ) throws(AdminFailure) -> T {
        do throws(ForwardingError) { return try work() } catch { throw AdminFailure(error) }
    }

    /// Makes the engine's tables, and lays this node's registry into it.
    package func migrate() throws(AdminFailure) -> EngineMigrationSummary {
        try asking { () throws(ForwardingError) in
            let identity = EngineIdentity.of(store.masterKey, shards: settings.shards.count)
            let session = try session()
            let from: Int64
            do throws(EngineError) {
                from = try EngineMaker(session, identity).run(now: store.now())
            } catch {
                throw .engine(error)
            }
            let laid = try SharedRegistry(
                store.registry, session, node: settings.node, now: store.now
            ).layDown()
            return EngineMigrationSummary(from: from, to: identity.schema, laidDown: laid)
        }
    }
}

/// What `migrate --engine` did.
package struct EngineMigrationSummary: Codable, Sendable, Equatable {
    /// The oldest schema that a server had; 0: none.
    package let from: Int64
    package let to: Int64
    /// Apps, keys and tokens that the engine had not.
    package let laidDown: Int

    package var members: [(String, JSONValue)] {
        [
            ("from", .integer(from)), ("to", .integer(to)),
            ("laid_down", .integer(Int64(laidDown))),
        ]
    }
}

extension EngineIdentity {
    /// What an engine has to be for nodes of a master key.
    static func of(_ key: MasterKey, shards: Int) -> EngineIdentity {
        EngineIdentity(
            keyCheck: key.engineCheck.map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined(), schema: EngineMigration.newest, shards: shards)
    }
}

extension AdminFailure {
    /// What nodes do together has failed.
    package init(_ error: ForwardingError) {
        switch error {
        case .engine(let error): self.init(error)
        case .storage(let error): self.init(error)
        case .outrun, .differs: self.init(.dataError, error.description)
        case .unclear: self.init(.busy, error.description)
        }
    }

    /// The engine has not done it.
    package init(_ error: EngineError) {
        self.init(error.kind == .stranger ? .configuration : .unavailable, error.description)
    }
}
