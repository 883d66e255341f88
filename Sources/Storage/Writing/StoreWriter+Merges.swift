import Database
import Dispatch

/// What is done for reports with what was packed: in slices between groups, so that a batch waits for one at most.
extension StoreWriter {
    /// Has segments merged, where some are due. Only on the writer's queue.
    func mergeLater() {
        guard session.hasDueMerges, !isMerging.exchange(true, ordering: .relaxed) else { return }
        // Groups and slices take turns.
        queue.async { self.mergeSome() }
    }

    private func mergeSome() {
        isMerging.store(false, ordering: .relaxed)
        if case .closed = readiness { return }
        let deadline = Deadline.after(limits.sliceNanoseconds)
        let result = attempt { () throws(StorageError) in
            try session.mergeSome(until: deadline)
        }
        // In trouble it is reported, and the writer tries by itself.
        if case .failure(let error) = result, session.trouble == nil { report(error) }
        shortenWAL(isAsked: false)
        mergeLater()
    }
}
