import Ingest
import Sealing

/// A body that has come whole and waits to be judged. It is overwritten when nobody needs it any more.
final class WholeBody: @unchecked Sendable {
    /// Never changed; overwritten by `deinit`, which nobody runs beside.
    private var bytes: [UInt8]
    /// Used by the judge that has the body; no two have it at once.
    private(set) var batch: AdmittedBatch
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
    /// It is compressed, as far as its head tells: the header of a JWE says it inside.
    var mayBePacked: Bool {
        let format = batch.admission.format
        return format.isGzipped || format.profile == .jwe
    }

    /// Judges it by the keys that are in force now, which may be others than when it began to wait.
    func judged(
        by worker: IngestWorker, _ directory: AccessList, _ limiter: RateLimiter?
    ) -> Judgement {
        let bytes = bytes
        return Judgement(
            bytes.span, &batch, by: directory, worker, limiter, arrival: arrival)
    }
}

/// What became of a body.
struct Judgement: Sendable {
    let verdict: Result<Verdict, Problem>
    /// It inflates to more than the worker judges, or has more in it: it is to be judged elsewhere, and the verdict
    /// says nothing.
    let isTooMuchHere: Bool
    /// Bytes and elements of its inflated form, as far as it was read.
    let inflatedBytes: Int
    let elements: Int

    /// Has a worker judge a body.
    /// - Parameters:
    ///   - directory: the keys in force
    ///   - limiter: asked before anything is decrypted
    init(
        _ body: Span<UInt8>, _ batch: inout AdmittedBatch, by directory: AccessList,
        _ worker: IngestWorker, _ limiter: RateLimiter?, arrival: Int64
    ) {
        do throws(BatchRefusal) {
            try batch.renew(directory)
            if limiter != nil { try batch.nameKey(of: body, worker) }
        } catch {
            self.init(refused: Problem(ingest: error))
            return
        }
        if let wait = limiter?.wait(for: batch) {
            self.init(refused: Problem(.rateLimited, retryAfter: wait))
            return
        }
        let judged = Result { () throws(BatchRefusal) in
            try worker.accept(
                body, batch.admission, arrival: arrival, access: batch.directory)
        }
        if worker.hasProvenKey { limiter?.takeProven(&batch) }
        switch judged {
        case .success(let verdict): self.init(.success(verdict), worker)
        case .failure(let refusal):
            self.init(
                .failure(Problem(ingest: refusal)), worker,
                isTooMuchHere: refusal == .tooMuchHere)
        }
    }

    private init(
        _ verdict: Result<Verdict, Problem>, _ worker: IngestWorker, isTooMuchHere: Bool = false
    ) {
        self.verdict = verdict
        self.isTooMuchHere = isTooMuchHere
        inflatedBytes = worker.inflatedBytes
        elements = worker.elements
    }

    /// Of a body that was not opened.
    private init(refused problem: Problem) {
        verdict = .failure(problem)
        isTooMuchHere = false
        inflatedBytes = 0
        elements = 0
    }
}

/// What is known of a batch from the head of its request.
struct AdmittedBatch: Sendable {
    private(set) var admission: Admission
    /// To be judged and not stored.
    let isDryRun: Bool
    /// The keys that were in force when it was looked at last.
    private(set) var directory: AccessList
    /// Row id of the key that its path or its body names, which proves nothing; nil where a token pays, or
    /// the body has not been looked at.
    private(set) var namedKey: Int64?
    /// One batch of its token's or its key's limit was taken for it.
    var hasPaid = false
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
        namedKey = admission.pathKey?.id
    }

    /// Whose rate limit it counts against besides its device's; nil where only its body will name it.
    var credential: BucketTable.Owner? {
        admission.token.map(BucketTable.Owner.token) ?? namedKey.map(BucketTable.Owner.key)
    }

    /// Finds out which key its body names, where its head has proved too little.
    mutating func nameKey(of body: Span<UInt8>, _ worker: IngestWorker) throws(BatchRefusal) {
        guard admission.pathKey == nil else { return }
        namedKey = try worker.key(of: body, admission, access: directory)
    }

    /// Looks up again what its head proves, where the keys in force are others than those it was admitted
    /// by: a revocation holds for bodies under way.
    mutating func renew(_ directory: AccessList) throws(BatchRefusal) {
        guard directory.version != self.directory.version else { return }
        admission = try admission.renewed(in: directory)
        self.directory = directory
    }
}
