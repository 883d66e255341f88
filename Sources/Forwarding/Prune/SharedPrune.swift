import Database
import Engine
import Events
import Storage
import Upkeep

/// A prune of all nodes of an engine (docs/scale.md, Erasing, pruning, copies).
///
/// First all nodes are told the limit: they take no older events any more. Then rows of the engine are written
/// again without what goes, and when that has come to its end nodes are told so, and prune their spools by
/// what the engine has kept. A crash in between leaves the rest to the next prune: nothing is deleted from
/// spools that the engine keeps, and what nodes hand over again never counts before a row pruned in place.
package struct SharedPrune {
    /// What a prune did.
    package struct Outcome: Sendable, Equatable {
        /// As it was announced.
        package let limit: PruneLimit
        /// Events that went from the engine.
        package let events: Int64
    }

    /// Milliseconds between two looks at what other nodes have handed over, and for how long they are waited for.
    private static let pause: UInt32 = 200
    private static let patience: UInt32 = 10_000
    /// Milliseconds without a sign after which a node is not waited for.
    private static let silence: Int64 = 60_000

    private let store: Store
    private let session: EngineSession
    private let node: String
    private let polling: Polling

    /// - Parameters:
    ///   - session: whose check ends it
    ///   - node: this node's name
    ///   - polling: how what servers and nodes do by themselves is waited for
    package init(
        _ store: Store, _ session: EngineSession, node: String, polling: Polling = .system
    ) {
        (self.store, self.session, self.node, self.polling) = (store, session, node, polling)
    }

    /// When the newest batch arrived that the engine has, of any node; nil without one. Milliseconds since 1970.
    package static func newestArrival(
        _ session: EngineSession
    ) throws(ForwardingError) -> Int64? {
        let answers = try ForwardingError.asking { () throws(EngineError) in
            try session.sendToAll(.read("SELECT toInt64(max(received_at)) FROM batch"))
        }
        var newest: Int64 = 0
        for answer in answers {
            newest = max(
                newest,
                try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
                    try reader.int64()
                })
        }
        return newest > 0 ? newest : nil
    }

    /// Prunes the engine, not yet this node's spool. Nothing has changed where it throws before `announce` was
    /// called, unless what it throws is `unclear`.
    /// - Parameters:
    ///   - limit: milliseconds since 1970
    ///   - now: the same
    ///   - handsOver: this node hands over meanwhile
    ///   - announce: called with the greatest limit so far when all nodes can know it
    package func run(
        before limit: Int64, at now: Int64, handsOver: Bool, announce: (PruneFloor) -> Void
    ) throws(ForwardingError) -> Outcome {
        let limits = SharedPruneLimit(session, node: node)
        try SharedRegistry(store.registry, session, node: node, now: store.now).pull()
        _ = try ForwardingError.asking { () throws(EngineError) in try session.currentServers() }
        let ownDay = try ForwardingError.storing { () throws(StorageError) in
            try store.reader().prunedDay()
        }
        let announced = try limits.announce(limit, at: now, ownDay: ownDay)
        try ForwardingError.storing { () throws(StorageError) in
            try store.raisePruneFloor(to: announced.floor)
        }
        announce(announced.floor)
        try waitForNodes(handsOver: handsOver)
        var engine = EnginePrune(session, announced, polling)
        let events: Int64
        do throws(ForwardingError) {
            events = try engine.run(store.registry.snapshot.apps)
        } catch {
            // If not now, the next prune does it.
            try? eraseAgain(from: announced.since)
            throw error
        }
        try eraseAgain(from: announced.since)
        try limits.finish(announced)
        try ForwardingError.asking { () throws(EngineError) in
            try EngineMerge(session, polling).run()
        }
        var done = announced
        done.isDone = true
        return Outcome(limit: done, events: events)
    }

    /// What was read before an erasure may have been written again after it.
    private func eraseAgain(from moment: Int64) throws(ForwardingError) {
        let erased = try SharedErasures(store, session, node: node, polling: polling)
            .announced(from: moment - NodeClocks.reach)
        if erased.isEmpty { return }
        try ForwardingError.asking { () throws(EngineError) in
            try EngineErasure(session, polling).deleteBatches(erased)
        }
    }

    /// Until nodes have handed over what they had answered by now, a short while at most: of one that is away
    /// later what was to go goes when it prunes its spool.
    private func waitForNodes(handsOver: Bool) throws(ForwardingError) {
        let moment = try NodeTable.now(session)
        _ = try polling.first(every: Self.pause, for: Self.patience) {
            () throws(ForwardingError) -> Bool? in
            let isWaited = try NodeTable.all(session).contains { entry in
                !entry.isRetired && moment - entry.lastSeen < Self.silence
                    && (handsOver || entry.name != node) && (entry.completeTo ?? 0) < moment
            }
            return isWaited ? nil : true
        }
    }
}
