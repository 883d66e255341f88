import Database
import Engine
import Storage

/// What this node says of itself in the engine, and whether another one says it, too. Used by the forwarder's
/// thread alone.
final class LifeSign {
    private let store: Store
    private let calls: ObservedSession
    private let options: ForwarderOptions
    private let observer: ForwarderObserver
    private(set) var clock = EngineClock()
    private var twin = NodeTwin()
    private var lastTwin: Int64 = 0
    private var lastSign: Int64 = 0
    private var isRetired = false
    /// The greatest version that the engine has of what is said of this node: what is said next has to count,
    /// however the clocks went.
    private var lastVersion: UInt64 = 0
    /// When the engine was last asked.
    private var lookedAt = NodeTime(wall: 0, uptime: 0)

    init(
        _ store: Store, _ calls: ObservedSession, _ options: ForwarderOptions,
        _ observer: ForwarderObserver
    ) {
        (self.store, self.calls) = (store, calls)
        (self.options, self.observer) = (options, observer)
    }

    /// Takes in what the engine says of this node.
    /// - Parameter sent: when it was asked
    func learn(_ pulse: EnginePulse, sent: NodeTime) throws(ForwardingError) {
        let received = options.time()
        lookedAt = sent
        let now = received.wall
        clock.learn(seconds: pulse.seconds, sent: sent, received: received)
        isRetired = pulse.isRetired
        lastVersion = pulse.nodeVersion
        // One that has never handed over holds the others back.
        if pulse.nodeVersion == 0 { try say(completeTo: 0, isRetired: false) }
        guard twin.isSeen(in: pulse.nodeVersion, isRetired: isRetired),
            now - lastTwin >= 60_000 || now < lastTwin
        else { return }
        // Once a minute, for whom `doctor` tells of it.
        observer.twin()
        try ForwardingError.storing { () throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try connection.setFact(NodeTwin.fact, now)
                }
            }
        }
        lastTwin = now
    }

    /// Says how far the node is, after each unit and every now and then.
    /// - Parameters:
    ///   - completeTo: all that was answered before is handed over, by the node's clock; 0: nothing is known
    ///   - now: when the round began
    func give(
        completeTo: Int64, hasHandedOver: Bool, now: Int64
    ) throws(ForwardingError) {
        guard hasHandedOver || now - lastSign >= ForwarderOptions.beat || now < lastSign,
            completeTo > 0, let moment = clock.surely(completeTo, now: options.time())
        else { return }
        try say(completeTo: moment, isRetired: !hasHandedOver && isRetired)
        lastSign = now
    }

    /// Says at once that the node is no further: more was said, and is not true any more. Where the engine's clock
    /// is not known, that nothing is.
    func retract(to completeTo: Int64, now: Int64) throws(ForwardingError) {
        let moment = clock.surely(completeTo, now: options.time()) ?? 0
        try say(completeTo: max(0, moment), isRetired: isRetired)
        lastSign = now
    }

    /// - Parameter moment: by the engine's clock; 0: nothing is known
    private func say(completeTo moment: Int64, isRetired: Bool) throws(ForwardingError) {
        // As long ago as the node has last begun to look what the engine is like: it is seen to that moment. What
        // it says counts in any case.
        let seen = clock.surely(lookedAt.wall, now: options.time()) ?? 0
        let version = max(
            SharedRegistry.version(at: seen, node: options.node), lastVersion &+ 1)
        lastVersion = version
        twin.wrote(version)
        _ = try calls.send(
            NodeTable.insert(
                options.node, completeTo: moment, isRetired: isRetired, version: version),
            toShard: NodeTable.shard)
    }
}
