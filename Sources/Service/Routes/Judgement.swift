import Ingest

/// What became of a body.
struct Judgement: Sendable {
    let verdict: Result<Verdict, Ingest.Refusal>
    /// Octets of its JSON, as far as it was inflated.
    let inflatedBytes: Int

    /// Has a worker judge a body.
    init(
        _ body: Span<UInt8>, _ batch: AdmittedBatch, arrival: Int64, by worker: IngestWorker
    ) {
        verdict = Result { () throws(Ingest.Refusal) in
            try worker.accept(
                body, batch.admission, arrival: arrival, directory: batch.directory)
        }
        inflatedBytes = worker.inflatedBytes
    }

    /// Of a body that was not opened.
    init(refused refusal: Ingest.Refusal) {
        verdict = .failure(refusal)
        inflatedBytes = 0
    }
}
