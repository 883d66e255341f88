import Curl
import Database
import Engine
import Events
import Storage
import Upkeep

/// Prunes what this node has stored by the last prune of all nodes, after the engine is pruned. The node sees
/// its part of a session alone: what goes on in the engine stays here, too, or `forward --again` would take
/// away from the engine what it keeps.
package struct SpoolPrune {
    /// Sessions that one statement names.
    private static let sessionsAtOnce = 500

    private let store: Store
    private let session: EngineSession
    private let polling: Polling

    /// - Parameter session: whose check ends it
    package init(_ store: Store, _ session: EngineSession, polling: Polling = .system) {
        (self.store, self.session, self.polling) = (store, session, polling)
    }

    /// Whether the spool is pruned as far as all nodes' is to be.
    package func isDone(_ limit: PruneLimit) throws(StorageError) -> Bool {
        try isDone(day: limit.day)
    }

    private func isDone(day: Int64) throws(StorageError) -> Bool {
        try store.reader().prunedDay() >= day
    }

    /// Where nobody hands over.
    /// - Returns: what went; nil where there was nothing to do, or not yet
    package func run(_ limit: PruneLimit) throws(ForwardingError) -> Pruned? {
        try run(limit) { (moment) throws(ForwardingError) in
            _ = try ForwardingError.storing { () throws(StorageError) in
                try HandOverMarks.takeBack(after: moment, store)
            }
        }
    }

    /// - Parameter handAgain: from now on what was handed over after a moment counts as not handed over. What
    ///   came to the engine while that was pruned may have come too late, and comes again as it is left here.
    func run(
        _ limit: PruneLimit, handAgain: (Int64) throws(ForwardingError) -> Void
    ) throws(ForwardingError) -> Pruned? {
        let done = try ForwardingError.storing { () throws(StorageError) -> PruneLimit.Finished? in
            try store.raisePruneFloor(to: limit.floor)
            // One in the future was made by a clock that ran ahead, unless this one is behind.
            guard let done = limit.done, done.limit <= store.now() else { return nil }
            return try isDone(day: done.day) ? nil : done
        }
        guard let limit = done else { return nil }
        let mayHave = try ForwardingError.storing { () throws(StorageError) in
            try store.mayHaveEvents(before: limit.limit)
        }
        if mayHave { try handAgain(limit.at - NodeClocks.reach) }
        return try prune(limit)
    }

    private func prune(_ limit: PruneLimit.Finished) throws(ForwardingError) -> Pruned {
        var failure: ForwardingError?
        let pruned = try ForwardingError.storing { () throws(StorageError) in
            let sparing = PruneSparing { (app, sessions) in
                do throws(ForwardingError) {
                    return try self.goingOn(sessions, of: app, limit)
                } catch {
                    failure = error
                    return nil
                }
            }
            return try store.prune(
                before: limit.limit, at: limit.at, day: limit.day, sparing: sparing,
                shouldStop: { session.isInterrupted })
        }
        if let failure { throw failure }
        guard pruned.isWhole else {
            throw .engine(EngineError(.interrupted, "the node stops"))
        }
        return pruned
    }

    /// Those of sessions that go on in the engine.
    private func goingOn(
        _ sessions: [EndedSession], of app: App, _ limit: PruneLimit.Finished
    ) throws(ForwardingError) -> Set<EndedSession> {
        let ended = EndedSessions(
            before: limit.limit, at: limit.at, timeout: app.sessionTimeout)
        let shards = session.servers.access.shards.count
        let servers = try ForwardingError.asking { () throws(EngineError) in
            try CaughtUpReplicas.choose(session, polling)
        }
        var found: Set<EndedSession> = []
        for (shard, sessions) in Dictionary(
            grouping: sessions,
            by: { DeviceKey(high: $0.device.high, low: $0.device.low).shard(of: shards) })
        {
            var rest = sessions[...]
            while !rest.isEmpty {
                let some = rest.prefix(Self.sessionsAtOnce)
                rest = rest.dropFirst(some.count)
                found.formUnion(try goingOn(some, of: app, ended, servers[shard], shard))
            }
        }
        return found
    }

    private func goingOn(
        _ sessions: ArraySlice<EndedSession>, of app: App, _ ended: EndedSessions,
        _ server: ServerAddress, _ shard: Int
    ) throws(ForwardingError) -> [EndedSession] {
        struct Key: Hashable {
            var device: [UInt8]
            var session: [UInt8]
        }
        func device(_ bytes: [UInt8]) -> String {
            "toFixedString(\(EngineLiteral.text(bytes)), 16)"
        }
        let devices = Set(sessions.map(\.device.bytes)).map(device).joined(separator: ", ")
        let pairs = sessions.map {
            "(\(device($0.device.bytes)), \(EngineLiteral.text($0.session)))"
        }.joined(separator: ", ")
        let isOwn = "app = \(EngineLiteral.text(app.name))"
        let statement = ended.statement(
            ended: false, rows: "\(isOwn) AND device IN (\(devices))",
            where: "(device, e_session) IN (\(pairs))")
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(.read(statement), to: server, shard: shard)
        }
        let keys = try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var keys: Set<Key> = []
            while !reader.isAtEnd {
                keys.insert(Key(device: try reader.fixed(16), session: try reader.bytes()))
            }
            return keys
        }
        return sessions.filter { keys.contains(Key(device: $0.device.bytes, session: $0.session)) }
    }
}
