import Dispatch
import Ingest
import Storage
import Synchronization

/// Judges the bodies that would hold an event loop up: those that inflate to more than a loop takes on
/// itself, or take long to be opened. One worker a core, each on a queue of its own.
final class BodyJudges: Sendable {
    /// Bytes of JSON up to which a loop judges a body itself: within a third of a millisecond or so, and
    /// within some two of the worst that 64 KiB can be made to hold (fractions of 17 digits; 256 KiB
    /// of them took nine).
    static let inlineBytes = 64 << 10

    /// Bodies that may wait for each judge. The worst take some 50 ms each to be refused: what waits
    /// is answered within three seconds or so, and later ones are rejected at once.
    static let maxWaiting = 64

    private final class Judge: @unchecked Sendable {
        let queue: DispatchQueue
        /// Used on that queue alone.
        let worker: IngestWorker

        init(number: Int, worker: IngestWorker) {
            queue = DispatchQueue(label: "sojourn.judge.\(number)")
            self.worker = worker
        }
    }

    private struct Waiting: Sendable {
        let body: WholeBody
        let then: @Sendable (Judgement?) -> Void
    }

    private struct State {
        /// By app.
        var bodies = Turns<Int64, Waiting>()
        var idle: [Judge]
    }

    private let state: Mutex<State>
    private let limit: Int
    private let keys: KeysInForce

    init(count: Int, limits: IngestLimits, pepper: [UInt8], keys: KeysInForce) {
        let judges = (0..<max(1, count)).map { number in
            Judge(number: number, worker: IngestWorker(limits: limits, pepper: pepper))
        }
        self.keys = keys
        limit = judges.count * Self.maxWaiting
        state = Mutex(State(idle: judges))
    }

    /// Bodies are judged app by app in turn.
    /// - Parameter then: called once, on a judge's queue or, where others need the room in which the body
    ///   waited, with nil on whatever thread brings one
    /// - Returns: false where too many wait already; `then` is never called then
    func judge(_ body: WholeBody, then: @escaping @Sendable (Judgement?) -> Void) -> Bool {
        var displaced: Waiting?
        var judge: Judge?
        let isTaken = state.withLock { state in
            switch state.bodies.makeRoom(for: body.app, limit: limit) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return false
            }
            state.bodies.append(Waiting(body: body, then: then), of: body.app)
            judge = state.idle.popLast()
            return true
        }
        displaced?.then(nil)
        if let judge { judge.queue.async { self.work(judge) } }
        return isTaken
    }

    /// Until nothing waits.
    private func work(_ judge: Judge) {
        while let waiting = next(for: judge) {
            waiting.then(waiting.body.judged(by: judge.worker, keys.directory))
        }
    }

    private func next(for judge: Judge) -> Waiting? {
        state.withLock { state in
            let waiting = state.bodies.next()
            if waiting == nil { state.idle.append(judge) }
            return waiting
        }
    }
}
