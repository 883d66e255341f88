import Database
import Dispatch
import Synchronization

/// Keeps the WAL short between groups. All of it on the writer's queue.
extension StoreWriter {
    func shortenWAL(isAsked: Bool) {
        let result = attempt { () throws(StorageError) in
            try session.shortenWAL(
                isAsked: isAsked, isPatient: requestsInParts.load(ordering: .relaxed) > 0
            ) { [weak self] in self?.shortenWALAgain() }
        }
        let isLong = (try? result.get()) ?? false
        let wasLong = hasLongWAL.exchange(isLong, ordering: .relaxed)
        if wasLong, !isLong { for action in walListeners.withLock({ $0 }) { action() } }
        lookAtWALLater()
    }

    /// From any thread.
    private func shortenWALAgain() {
        queue.async {
            if case .closed = self.readiness { return }
            self.shortenWAL(isAsked: false)
        }
    }

    /// As long as a reader holds the WAL or its file is long: the reader may end, and no batch come that would find out.
    private func lookAtWALLater() {
        guard session.isWALToBeLookedAt,
            !isWALLookScheduled.exchange(true, ordering: .relaxed)
        else { return }
        let pause = DispatchTimeInterval.milliseconds(limits.millisecondsBetweenLooks)
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.lookAtWAL() }
    }

    private func lookAtWAL() {
        isWALLookScheduled.store(false, ordering: .relaxed)
        if case .closed = readiness { return }
        shortenWAL(isAsked: true)
        // To give a long file back may take the file system a while.
        guard pendingBatches == 0 else { return }
        _ = attempt { () throws(StorageError) in try session.cutWAL() }
    }
}
