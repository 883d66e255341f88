/// Who pays for a batch, and when (docs/operation.md, Rate limits): a token at the head, which has proved it; a key,
/// which anybody may name, once its body has proved it.
extension RateLimiter {
    /// A head was admitted: takes one of its token's batches; a key in its path has to have one left.
    /// - Returns: nil if it may go on, else the whole seconds after which it may be tried again.
    func admit(_ batch: inout AdmittedBatch) -> Int? {
        guard let token = batch.admission.token else { return wait(for: batch) }
        let seconds = take(.token(token))
        batch.hasPaid = seconds == nil
        return seconds
    }

    /// Whether a batch may be opened: who has not paid yet has to have one left.
    /// - Returns: as `admit`
    func wait(for batch: AdmittedBatch) -> Int? {
        batch.hasPaid ? nil : batch.credential.flatMap { wait(for: $0) }
    }

    /// A body has proved the key that is named, which pays for one.
    func takeProven(_ batch: inout AdmittedBatch) {
        guard !batch.hasPaid, let owner = batch.credential else { return }
        charge(owner, units: 1)
        batch.hasPaid = true
    }

    /// Takes what a body costs beyond one batch from the limit that one was taken from, once it is inflated.
    /// - Parameter units: as how many it counts
    func chargeRest(of batch: AdmittedBatch, units: Int) {
        guard batch.hasPaid, units > 1, let owner = batch.credential else { return }
        charge(owner, units: units - 1)
    }
}
