import Database
import Dispatch
import Logging
import Storage
import Synchronization

/// Counts refused batches in memory and hands the counts to the writer each second, so that refusing
/// costs less than accepting (docs/reports.md, `rejects`). A crash loses the last second.
final class RefusalLedger: Sendable {
    private struct Entry: Hashable {
        let app: Int64
        let quarter: Int64
        let code: ProblemCode
    }

    private let counts = Mutex<[Entry: Int64]>([:])
    private let writer: StoreWriter
    private let logger: Logging.Logger
    private let queue = DispatchQueue(label: "sojourn.refusals")
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    init(writer: StoreWriter, logger: Logging.Logger) {
        self.writer = writer
        self.logger = logger
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.flush() }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.activate()
    }

    deinit { timer.cancel() }

    /// - Parameter moment: of arrival, milliseconds since 1970
    func note(_ code: ProblemCode, app: Int64, at moment: Int64, count: Int = 1) {
        guard code.isCounted else { return }
        let entry = Entry(app: app, quarter: QuarterHour.number(of: moment), code: code)
        counts.withLock { $0[entry, default: 0] += Int64(count) }
    }

    /// Returns once all that was counted before is stored, or could not be.
    func settle() {
        queue.sync { flush() }
    }

    /// Stores what has been counted; what cannot be stored now is kept for the next time.
    private func flush() {
        let taken = counts.withLock { counts in
            defer { counts.removeAll(keepingCapacity: true) }
            return counts
        }
        guard !taken.isEmpty else { return }
        do throws(StorageError) {
            try writer.add(
                taken.map { entry, batches in
                    RefusalCount(
                        app: entry.app, quarter: entry.quarter, code: entry.code.rawValue,
                        batches: batches)
                })
        } catch {
            logger.debug("cannot store the counts of refused batches: \(error)")
            counts.withLock { $0.merge(taken) { $0 + $1 } }
        }
    }

    /// Stores the last counts and counts no more.
    func close() {
        timer.cancel()
        settle()
    }
}
