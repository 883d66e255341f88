import Ingest
import Sealing

/// A body that has come whole and waits for a judge. It is overwritten when nobody needs it any more.
final class WholeBody: @unchecked Sendable {
    /// Never changed; overwritten by `deinit`, which nobody runs beside.
    private var octets: [UInt8]
    private let batch: AdmittedBatch
    /// Milliseconds since 1970.
    private let arrival: Int64

    init(_ octets: Span<UInt8>, _ batch: AdmittedBatch, arrival: Int64) {
        self.octets = octets.withUnsafeBufferPointer { Array($0) }
        self.batch = batch
        self.arrival = arrival
    }

    deinit { octets.overwrite() }

    /// Row id.
    var app: Int64 { batch.admission.app.id }
    /// Octets.
    var count: Int { octets.count }

    /// Judges it by the keys that are in force now, which may be others than when it began to wait.
    func judged(by worker: IngestWorker, _ directory: AccessList) -> Judgement {
        var batch = batch
        do throws(BatchRefusal) {
            try batch.renew(directory)
        } catch {
            return Judgement(refused: error)
        }
        let octets = octets
        return Judgement(octets.span, batch, arrival: arrival, by: worker)
    }
}

/// What became of a body.
struct Judgement: Sendable {
    let verdict: Result<Verdict, BatchRefusal>
    /// Octets of its JSON, as far as it was inflated.
    let inflatedBytes: Int

    /// Has a worker judge a body.
    init(
        _ body: Span<UInt8>, _ batch: AdmittedBatch, arrival: Int64, by worker: IngestWorker
    ) {
        verdict = Result { () throws(BatchRefusal) in
            try worker.accept(
                body, batch.admission, arrival: arrival, access: batch.directory)
        }
        inflatedBytes = worker.inflatedBytes
    }

    /// Of a body that was not opened.
    init(refused refusal: BatchRefusal) {
        verdict = .failure(refusal)
        inflatedBytes = 0
    }
}
