import Dispatch
import Ingest
import Storage
import Synchronization

/// Judges the bodies that would hold an event loop up: those that inflate to more than a loop takes on
/// itself. One worker a core, each on a queue of its own.
final class BodyJudges: Sendable {
    /// Octets of JSON up to which a loop judges a body itself: within a millisecond or so, and within
    /// some forty of the worst that 256 KiB can be made to hold.
    static let inlineBytes = 256 << 10

    /// Bodies that may wait for each judge. The worst take some 50 ms each to be refused: what waits
    /// is answered within two seconds, and who comes later is told at once.
    static let mostWaiting = 32

    private final class Judge: @unchecked Sendable {
        let queue: DispatchQueue
        /// Used on that queue alone.
        let worker: IngestWorker

        init(number: Int, worker: IngestWorker) {
            queue = DispatchQueue(label: "sojourn.judge.\(number)")
            self.worker = worker
        }
    }

    private struct Body: Sendable {
        let octets: [UInt8]
        let batch: AdmittedBatch
        let arrival: Int64
        let then: @Sendable (Result<Verdict, Ingest.Refusal>?) -> Void
    }

    private struct State {
        /// By app.
        var bodies = Turns<Int64, Body>()
        var idle: [Judge]
    }

    private let state: Mutex<State>
    private let limit: Int

    init(count: Int, limits: IngestLimits, pepper: [UInt8]) {
        let judges = (0..<max(1, count)).map { number in
            Judge(number: number, worker: IngestWorker(limits: limits, pepper: pepper))
        }
        limit = judges.count * Self.mostWaiting
        state = Mutex(State(idle: judges))
    }

    /// Bodies are judged app by app in turn.
    /// - Parameter then: called once, on a judge's queue or, where others need the room in which the body
    ///   waited, with nil on whatever thread brings one
    /// - Returns: false where too many wait already; `then` is never called then
    func judge(
        _ octets: [UInt8], _ batch: AdmittedBatch, arrival: Int64,
        then: @escaping @Sendable (Result<Verdict, Ingest.Refusal>?) -> Void
    ) -> Bool {
        let body = Body(octets: octets, batch: batch, arrival: arrival, then: then)
        let app = batch.admission.app.id
        var displaced: Body?
        var judge: Judge?
        let isTaken = state.withLock { state in
            switch state.bodies.makeRoom(for: app, limit: limit) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return false
            }
            state.bodies.append(body, of: app)
            judge = state.idle.popLast()
            return true
        }
        displaced?.then(nil)
        if let judge { judge.queue.async { self.work(judge) } }
        return isTaken
    }

    /// Until nothing waits.
    private func work(_ judge: Judge) {
        while let body = next(for: judge) {
            body.then(
                Result { () throws(Ingest.Refusal) in
                    try judge.worker.accept(
                        body.octets.span, body.batch.admission, arrival: body.arrival,
                        directory: body.batch.directory)
                })
        }
    }

    private func next(for judge: Judge) -> Body? {
        state.withLock { state in
            let body = state.bodies.next()
            if body == nil { state.idle.append(judge) }
            return body
        }
    }
}
