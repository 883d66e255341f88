/// Gathers the batches that wait while a commit is under way, and stores them with the next one.
actor BatchWriter {
    private struct Waiting {
        let batch: AcceptedBatch
        let answer: CheckedContinuation<BatchStore.Outcome, any Error>
    }

    private let store: BatchStore
    private var waiting: [Waiting] = []
    private var isWriting = false

    init(store: BatchStore) {
        self.store = store
    }

    /// Returns when the batch is on disk.
    func write(_ batch: AcceptedBatch) async throws -> BatchStore.Outcome {
        try await withCheckedThrowingContinuation { answer in
            waiting.append(Waiting(batch: batch, answer: answer))
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let taken = waiting
            waiting = []
            do {
                let outcomes = try await store.store(taken.map(\.batch))
                for (one, outcome) in zip(taken, outcomes) { one.answer.resume(returning: outcome) }
            } catch {
                for one in taken { one.answer.resume(throwing: error) }
            }
        }
        isWriting = false
    }
}
