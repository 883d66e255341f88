import Database
import Dispatch
import Synchronization

/// What becomes of a writer that fails, until it is well again.
extension StoreWriter {
    /// Runs something on the session and follows what becomes of its state.
    func attempt<T>(
        _ work: () throws(StorageError) -> T
    ) -> Result<T, StorageError> {
        let wasFailing = session.trouble != nil
        do throws(StorageError) {
            let value = try work()
            follow(wasFailing: wasFailing, error: nil)
            return .success(value)
        } catch {
            follow(wasFailing: wasFailing, error: error)
            return .failure(error)
        }
    }

    func follow(wasFailing: Bool, error: StorageError?) {
        if let trouble = session.trouble {
            waiting.withLock { $0.readiness = .failing(trouble) }
            if let error { report(error) }
            if !wasFailing { probeLater() }
        } else if wasFailing {
            waiting.withLock { $0.readiness = .ready }
            if notices.withLock({ $0.recovery() }) { observer.recovered() }
        }
    }

    func report(_ error: StorageError) {
        let now = Deadline.now
        let isTrouble = session.trouble != nil
        let leftOut = notices.withLock { $0.failure(at: now, isTrouble: isTrouble) }
        if let leftOut { observer.failed(.init(error: error, leftOut: leftOut)) }
    }

    /// While the writer fails it tries by itself, so that it is ready again without a batch to find out.
    private func probeLater() {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self, self.session.trouble != nil else { return }
            if case .closed = self.readiness { return }
            _ = self.attempt { () throws(StorageError) in try self.session.probe() }
            if self.session.trouble != nil { self.probeLater() }
        }
    }
}
