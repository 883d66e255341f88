import Database
import Dispatch
import Ingest
import Logging
import Storage
import Synchronization
import Upkeep

/// Prunes by itself, daily, while the setting `retention` is set. Looks whether it is time on a queue
/// of its own, where the prune then runs: the writer is blocked a few milliseconds at a time.
final class Retention: Sendable {
    /// Seconds between two looks; after a failure it waits for `pause` of them.
    private static let interval = 60
    private static let pause = 60

    private let schedule: RetentionSchedule
    private let work: any RetentionPrune
    private let clock: ArrivalClock
    private let floor: EventFloor
    private let stop: StopFlag
    private let logger: Logging.Logger
    private let now: @Sendable () -> Int64
    private let queue = DispatchQueue(label: "sojourn.retention")
    private let isClosed = Atomic(false)
    /// Looks to leave out.
    private let skips = Atomic(0)
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Begins at once.
    /// - Parameters:
    ///   - retention: milliseconds
    ///   - now: milliseconds since 1970-01-01T00:00:00Z
    init(
        _ retention: Int64, of service: ServiceCore,
        now: @escaping @Sendable () -> Int64 = { Timestamp.milliseconds }
    ) {
        schedule = RetentionSchedule(retention: retention)
        if let cluster = service.cluster {
            work = ClusterRetention(cluster: cluster)
        } else {
            work = StoreRetention(store: service.store)
        }
        clock = service.clock
        floor = service.floor
        stop = service.stop
        logger = service.logger
        self.now = now
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now(), repeating: .seconds(Self.interval))
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Ends a prune that is under way between two slices, and waits for that.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        timer.cancel()
        queue.sync {}
    }

    /// Prunes if it is time.
    func look() {
        if skips.load(ordering: .relaxed) > 0 {
            skips.subtract(1, ordering: .relaxed)
            return
        }
        let moment = now()
        // A wrong clock would take for old what is not (`ClockWatch` says that it waits).
        guard !isClosed.load(ordering: .relaxed), clock.voucher(at: moment) != nil else { return }
        do throws(AdminFailure) {
            guard let limit = try work.limit(at: moment, schedule) else { return }
            let pruned = try work.prune(
                before: limit, announce: { floor.raise(to: $0, at: Timestamp.milliseconds) },
                shouldStop: { [self] in
                    isClosed.load(ordering: .relaxed) || stop.isRaised
                })
            guard let pruned else { return }
            logger.info(
                "retention: pruned \(pruned.events) events from before \(Timestamp.text(limit))")
            if pruned.damaged > 0 {
                logger.warning(
                    "retention: left \(pruned.damaged) damaged batches alone; run sojourn verify")
            }
        } catch {
            // What is closed has logged why, or is at its end.
            if isClosed.load(ordering: .relaxed) { return }
            logger.error("retention: cannot prune: \(error)")
            skips.store(Self.pause, ordering: .relaxed)
        }
    }
}

/// When the setting `retention` prunes, and what: once a day (docs/operation.md, Retention).
struct RetentionSchedule: Sendable {
    /// Milliseconds between the end of a prune and the next one.
    static let period: Int64 = 86_400_000

    /// How old sessions may become, milliseconds.
    let retention: Int64

    /// The limit of the prune that is due, milliseconds since 1970-01-01T00:00:00Z; nil: none is.
    /// - Parameters:
    ///   - now: as the limit
    ///   - lastEnd: when the last prune ended; nil: there was none
    func limit(at now: Int64, lastEnd: Int64?) -> Int64? {
        // A clock that was set back far must not put it off for as long.
        if let lastEnd, (now - lastEnd).magnitude < Self.period.magnitude { return nil }
        return now - retention
    }
}
