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

    init(
        _ store: Store, _ calls: ObservedSession, _ options: ForwarderOptions,
        _ observer: ForwarderObserver
    ) {
        (self.store, self.calls) = (store, calls)
        (self.options, self.observer) = (options, observer)
    }

    /// Takes in what the engine says of this node.
    /// - Parameter sent: when it was asked, by the node's clock
    func learn(_ pulse: EnginePulse, sent: Int64) throws(ForwardingError) {
        let now = options.now()
        clock.learn(seconds: pulse.seconds, sent: sent, received: now)
        isRetired = pulse.isRetired
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
    ///   - isUrgent: however short ago the last one was
    ///   - now: when the round began
    func give(
        completeTo: Int64, hasHandedOver: Bool = false, isUrgent: Bool = false, now: Int64
    ) throws(ForwardingError) {
        guard
            hasHandedOver || isUrgent || now - lastSign >= ForwarderOptions.beat || now < lastSign
        else { return }
        guard completeTo > 0, let moment = clock.surely(completeTo) else { return }
        try say(completeTo: moment, isRetired: !hasHandedOver && isRetired)
        lastSign = now
    }

    /// - Parameter moment: by the engine's clock; 0: nothing is known
    private func say(completeTo moment: Int64, isRetired: Bool) throws(ForwardingError) {
        guard let engineNow = clock.surely(options.now()) else { return }
        let version = SharedRegistry.version(at: engineNow, node: options.node)
        twin.wrote(version)
        _ = try calls.send(
            NodeTable.insert(
                options.node, completeTo: moment, isRetired: isRetired, version: version),
            toShard: NodeTable.shard)
    }
}
