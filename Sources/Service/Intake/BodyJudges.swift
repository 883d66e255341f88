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
        /// With what the judge has; nil where others need the room in which it waited.
        let work: @Sendable ((worker: IngestWorker, keys: AccessList)?) -> Void
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
        add(of: body.app, limit: limit) { judge in
            then(judge.map { body.judged(by: $0.worker, $0.keys) })
        }
    }

    /// Goes on with a body of an app that was judged in part: it has had its place.
    /// - Parameter work: called once, on a judge's queue or, where others need the room, with nil
    func resume(
        of app: Int64,
        _ work: @escaping @Sendable ((worker: IngestWorker, keys: AccessList)?) -> Void
    ) {
        _ = add(of: app, limit: .max, work)
    }

    private func add(
        of app: Int64, limit: Int,
        _ work: @escaping @Sendable ((worker: IngestWorker, keys: AccessList)?) -> Void
    ) -> Bool {
        var displaced: Waiting?
        var judge: Judge?
        let isTaken = state.withLock { state in
            switch state.bodies.makeRoom(for: app, limit: limit) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return false
            }
            state.bodies.append(Waiting(work: work), of: app)
            judge = state.idle.popLast()
            return true
        }
        displaced?.work(nil)
        if let judge { judge.queue.async { self.work(judge) } }
        return isTaken
    }

    /// Until nothing waits.
    private func work(_ judge: Judge) {
        while let waiting = next(for: judge) {
            waiting.work((judge.worker, keys.directory))
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
