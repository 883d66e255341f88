import Database
import Dispatch
import Forwarding
import Logging
import Storage
import Synchronization
import Upkeep

/// Empties the spool while the server runs: what was handed over longer than `spool-retention` ago goes
/// (docs/scale.md, Hand-over). On a queue of its own; the writer is blocked a few milliseconds at a time.
final class SpoolUpkeep: Sendable {
    /// Milliseconds between two looks, at most.
    private static let interval: Int64 = 60_000

    private let store: Store
    private let retention: Int64
    private let clock: ArrivalClock
    private let logger: Logging.Logger
    private let queue = DispatchQueue(label: "sojourn.spool")
    private let isClosed = Atomic(false)
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Begins at once.
    /// - Parameter retention: milliseconds
    init(_ retention: Int64, of store: Store, _ clock: ArrivalClock, _ logger: Logging.Logger) {
        self.store = store
        self.clock = clock
        self.retention = retention
        self.logger = logger
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        let interval = min(Self.interval, max(1000, retention / 4))
        timer.schedule(deadline: .now(), repeating: .milliseconds(Int(interval)))
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Ends an emptying between two slices, and waits for that.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        timer.cancel()
        queue.sync {}
    }

    private func look() {
        // A wrong clock would take for old what is not (`ClockWatch` says that it waits).
        let now = store.now()
        guard !isClosed.load(ordering: .relaxed), clock.voucher(at: now) != nil else { return }
        do throws(StorageError) {
            let last = try HandOverMarks.last(at: now - retention, store.reader())
            guard last > 0 else { return }
            let emptied = try store.emptySpool(upTo: last) { [self] in
                isClosed.load(ordering: .relaxed)
            }
            guard emptied.isWhole, emptied.batches > 0 else { return }
            try HandOverMarks.tidyUp(before: last, store)
            logger.info(
                "spool: \(emptied.batches) batches with \(emptied.events) events that were handed over long ago are gone"
            )
        } catch {
            if error.isClosed { return }
            logger.error("spool: cannot empty it: \(error)")
        }
    }
}
