import Database
import Dispatch

/// Merges small segments between groups, in slices.
extension StoreWriter {
    /// Has segments merged, where some are due. Only on the writer's queue.
    func mergeLater() {
        let isDue = session.hasDueMerges
        guard isDue, !isMergeScheduled.exchange(true, ordering: .relaxed) else { return }
        // Groups and slices take turns.
        queue.async { self.mergeSome() }
    }

    private func mergeSome() {
        isMergeScheduled.store(false, ordering: .relaxed)
        if case .closed = readiness { return }
        let deadline = Deadline.after(limits.sliceNanoseconds)
        let result = attempt { () throws(StorageError) in
            try session.mergeSome(until: deadline)
        }
        shortenWAL(isAsked: false)
        switch result {
        case .success: mergeLater()
        // The next group has it tried again. Trouble has been reported.
        case .failure(let error): if session.trouble == nil { report(error) }
        }
    }
}
