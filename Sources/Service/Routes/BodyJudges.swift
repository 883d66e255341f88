import Dispatch
import Ingest
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
        let waiting = Atomic<Int>(0)

        init(number: Int, worker: IngestWorker) {
            queue = DispatchQueue(label: "sojourn.judge.\(number)")
            self.worker = worker
        }
    }

    private let judges: [Judge]
    private let next = Atomic<Int>(0)

    init(count: Int, limits: IngestLimits, pepper: [UInt8]) {
        judges = (0..<max(1, count)).map { number in
            Judge(number: number, worker: IngestWorker(limits: limits, pepper: pepper))
        }
    }

    /// - Parameter then: called on a judge's queue
    /// - Returns: false where too many wait already; `then` is never called then
    func judge(
        _ body: [UInt8], _ batch: AdmittedBatch, arrival: Int64,
        then: @escaping @Sendable (Result<Verdict, Ingest.Refusal>) -> Void
    ) -> Bool {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let judge = judges[Int(UInt(bitPattern: turn) % UInt(judges.count))]
        guard judge.waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
            judge.waiting.subtract(1, ordering: .relaxed)
            return false
        }
        judge.queue.async {
            defer { judge.waiting.subtract(1, ordering: .relaxed) }
            then(
                Result { () throws(Ingest.Refusal) in
                    try judge.worker.accept(
                        body.span, batch.admission, arrival: arrival, directory: batch.directory)
                })
        }
        return true
    }
}
