import Ingest
import Sealing

/// A body that has come whole and waits for a judge. It is overwritten when nobody needs it any more.
final class WholeBody: @unchecked Sendable {
    /// Never changed; overwritten by `deinit`, which nobody runs beside.
    private var bytes: [UInt8]
    private let batch: AdmittedBatch
    /// Milliseconds since 1970.
    private let arrival: Int64

    init(_ bytes: Span<UInt8>, _ batch: AdmittedBatch, arrival: Int64) {
        self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
        self.batch = batch
        self.arrival = arrival
    }

    deinit { bytes.overwrite() }

    /// Row id.
    var app: Int64 { batch.admission.app.id }
    /// Bytes.
    var count: Int { bytes.count }

    /// Judges it by the keys that are in force now, which may be others than when it began to wait.
    func judged(by worker: IngestWorker, _ directory: AccessList) -> Judgement {
        var batch = batch
        do throws(BatchRefusal) {
            try batch.renew(directory)
        } catch {
            return Judgement(refused: error)
        }
        let bytes = bytes
        return Judgement(bytes.span, batch, arrival: arrival, by: worker)
    }
}

/// What became of a body.
struct Judgement: Sendable {
    let verdict: Result<Verdict, BatchRefusal>
    /// Bytes of its JSON, as far as it was inflated.
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

/// What is known of a batch from the head of its request.
struct AdmittedBatch: Sendable {
    private(set) var admission: Admission
    /// To be judged and not stored.
    let isDryRun: Bool
    /// The keys that were in force when it was looked at last.
    private(set) var directory: AccessList
    /// Row id of the key that the body itself names, once that is known.
    var namedKey: Int64?
    /// How it wants to be answered.
    let form: AnswerForm
    /// For the log, where that wants to know.
    var note: RequestNote?

    init(
        admission: Admission, isDryRun: Bool, directory: AccessList, form: AnswerForm = .problem
    ) {
        self.admission = admission
        self.isDryRun = isDryRun
        self.directory = directory
        self.form = form
    }

    /// Whose rate limit it counts against besides its device's; nil where only its body will name it.
    var credential: BucketTable.Owner? {
        if let token = admission.token { return .token(token) }
        return (admission.pathKey?.id ?? namedKey).map { .key($0) }
    }

    /// Looks up again what its head proves, where the keys in force are others than those it was admitted
    /// by: a revocation holds for bodies under way.
    mutating func renew(_ directory: AccessList) throws(BatchRefusal) {
        guard directory.version != self.directory.version else { return }
        admission = try admission.renewed(in: directory)
        self.directory = directory
    }
}
