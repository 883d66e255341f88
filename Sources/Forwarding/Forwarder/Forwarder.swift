import Database
import Dispatch
import Engine
import Storage
import Synchronization

/// Hands over what the node has stored, for as long as it lives, on a thread of its own (docs/scale.md,
/// Hand-over). It reads on a connection of its own, and asks the writer for nothing but marks: no batch, no
/// commit and no report waits for it.
package final class Forwarder: Sendable {
    private let store: Store
    private let servers: EngineServers
    private let options: ForwarderOptions
    private let observer: ForwarderObserver
    private let gate = HandOverGate()
    private let state: Mutex<ForwardFigures>
    private let queue = DispatchQueue(label: "sojourn.forward")
    private let ended = DispatchGroup()
    /// How often marks were taken back by others than the forwarder's thread.
    private let resets = MarkResets()

    /// Milliseconds that a report waits for what was answered before it.
    private static let patience: Int64 = 2_000
    /// Milliseconds after which it is looked how much waits, also where the engine is away.
    private static let glance: Int64 = 500

    /// Nothing is handed over before `start`.
    /// - Parameter servers: whose identity is known
    package init(
        _ store: Store, to servers: EngineServers, _ options: ForwarderOptions,
        observer: ForwarderObserver = ForwarderObserver()
    ) {
        self.store = store
        self.servers = servers
        self.options = options
        self.observer = observer
        state = Mutex(ForwardFigures(start: options.now()))
    }

    /// Begins.
    package func start() {
        queue.async(group: ended) { self.run() }
    }

    /// Ends it, and waits for that: what it was about to hand over the next start does.
    package func close() {
        gate.close()
        ended.wait()
    }

    /// What it has done, and what waits.
    package var figures: ForwardFigures { state.withLock { $0 } }

    /// Has it look at once what other nodes have announced.
    package func look() { gate.call() }

    /// Waits until what was answered before now is handed over, a short while at most.
    package func settle() { gate.wait(patience: Self.patience) }

    /// From now on nothing that arrived from a moment on counts as handed over.
    /// - Parameter moment: milliseconds since 1970; nil: all
    package func again(from moment: Int64?) throws(StorageError) {
        try HandOverMarks.again(from: moment, store) { [resets] in
            resets.count.add(1, ordering: .relaxed)
        }
        gate.urge()
    }

    private func run() {
        var retry = RetryPace()
        var round: HandOverRound?
        var lastKind: EngineError.Kind?
        while !gate.isClosed {
            var pause: Int64
            do throws(ForwardingError) {
                let current: HandOverRound
                if let round, round.isCurrent {
                    current = round
                } else {
                    current = try begin()
                }
                round = current
                let isUrged = gate.takeUrge()
                let hasMore = try current.run(isUrged: isUrged, self.report)
                retry.succeeded()
                if lastKind != nil { observer.recovered() }
                lastKind = nil
                pause = hasMore ? 0 : min(options.interval, ForwarderOptions.beat)
            } catch {
                guard let kind = note(error), kind != .interrupted else { break }
                if kind == .stranger { return }
                if kind != lastKind { observer.failed(error) }
                lastKind = kind
                pause = retry.failed(draw: Double.random(in: 0..<1))
                // Statements of a database that has failed are no good any more.
                if case .storage = error { round = nil }
                // No report makes it try sooner.
                let end = DispatchTime.now() + .milliseconds(Int(pause))
                while pause > 0, !gate.isClosed, !gate.takeCall() {
                    try? round?.count(self.report)
                    gate.pause(min(pause, Self.glance))
                    let now = DispatchTime.now().uptimeNanoseconds
                    pause = Int64(end.uptimeNanoseconds / 1_000_000) - Int64(now / 1_000_000)
                }
                continue
            }
            if pause > 0, !gate.isClosed { gate.pause(pause) }
        }
    }

    private func begin() throws(ForwardingError) -> HandOverRound {
        try HandOverRound(
            store,
            try ForwardingError.asking { () throws(EngineError) in
                try EngineSession(servers) { [gate] () throws(EngineError) in
                    if gate.isClosed { throw EngineError(.interrupted, "the node stops") }
                }
            }, options, observer, resets)
    }

    /// - Returns: what it counts as; nil where the node is at its end
    private func note(_ error: ForwardingError) -> EngineError.Kind? {
        switch error {
        case .engine(let error), .unclear(let error):
            if error.kind == .stranger { observer.refused(error) }
            if error.kind != .interrupted {
                state.withLock { $0.failures[error.kind, default: 0] += 1 }
            }
            return error.kind
        case .storage(let error):
            return error.isClosed ? nil : .exception
        case .outrun, .differs:
            state.withLock { $0.failures[.exception, default: 0] += 1 }
            return .exception
        }
    }

    private func report(_ progress: HandOverRound.Progress) {
        state.withLock { figures in
            figures.units += progress.units
            figures.batches += progress.batches
            figures.waitingBatches = progress.waitingBatches
            figures.waitingBytes = progress.waitingBytes
            if let handedTo = progress.handedTo { figures.handedTo = handedTo }
            figures.clockOffset = progress.clockOffset
        }
        observer.counted(progress.waitingBytes)
        if let uptime = progress.handedToUptime { gate.handedOver(to: uptime) }
    }
}
