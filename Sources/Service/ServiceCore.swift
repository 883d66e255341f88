import Database
import Events
import HTTP1
import Ingest
import Logging
import Reports
import Sealing
import Sockets
import Storage
import Synchronization

/// What all routes share: settings, the store, the apps and keys in force, the executor of reports.
final class ServiceCore: Sendable {
    let settings: Settings
    let store: Store
    let reports: ReportExecutor
    let judges: BodyJudges
    /// Memory of all requests that are coming, whole bodies and waiting batches together.
    let budget: Budget
    /// What of it bodies and batches hold, app by app.
    let room: FairBudget<Int64>
    let keys: KeysInForce
    let intake: BatchIntake
    let refusals: RefusalLedger
    let clock: ArrivalClock
    let meters: Meters
    let requestLog: RequestLog
    /// Nil where nothing limits how often a device posts.
    let rateLimiter: RateLimiter?
    let reportEnvironment: ReportEnvironment
    /// Memory of answers that wait for their readers, token by token.
    let answers: AnswerRoom
    /// Before which no event is taken.
    let floor: EventFloor
    let backups: BackupJobs
    let logger: Logging.Logger
    private let stopping = Atomic<Bool>(false)
    private let listening = Mutex(Listening())

    /// The server holds its handlers, and they hold this.
    private struct Listening { weak var server: Server? }

    init(
        settings: Settings, store: Store, logger: Logging.Logger,
        meters: Meters = Meters(loops: 1),
        rateClock: @escaping @Sendable () -> Int64 = Clock.system.monotonic
    ) throws(StorageError) {
        self.settings = settings
        self.store = store
        self.logger = logger
        self.meters = meters
        requestLog = RequestLog(logger)
        rateLimiter = settings.rateLimit.map { RateLimiter(perSecond: $0, clock: rateClock) }
        let tails = SegmentTails()
        answers = AnswerRoom(limit: settings.maxAnswerBytes)
        reportEnvironment = ReportEnvironment(
            tails: tails, threads: ReportExecutor.threadsOfOne,
            pace: ReportPace { [writer = store.writer] in writer.isCrowded })
        reports = ReportExecutor(
            store: store, timeout: settings.reportTimeout,
            memory: ReportMemory(limit: settings.reportMemory, caches: tails.room))
        floor = EventFloor(try store.prunedBefore())
        keys = KeysInForce(store.registry)
        judges = BodyJudges(
            count: ProcessorCount.usable, limits: settings.ingestLimits(floor),
            pepper: store.masterKey.pepper, keys: keys)
        budget = Budget(limit: settings.maxBufferedBytes)
        room = FairBudget(budget, share: budget.wholeShare)
        backups = BackupJobs(store: store)
        refusals = RefusalLedger(writer: store.writer, logger: logger)
        clock = ArrivalClock(newest: try store.newestArrival() ?? 0)
        intake = BatchIntake(
            writer: store.writer, dryRuns: store.dryRuns, room: room, refusals: refusals,
            clock: clock, meters: meters, rateLimiter: rateLimiter)
    }

    /// The apps, keys and tokens in force.
    var directory: Directory { keys.directory }

    /// What the sockets tell of themselves, once they listen.
    var server: Server? {
        get { listening.withLock { $0.server } }
        set { listening.withLock { $0.server = newValue } }
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func stop() { stopping.store(true, ordering: .relaxed) }

    /// What a reader is told of a report that the database would not give; ours to fix is logged.
    func problem(ofReport error: StorageError) -> Problem {
        if error.isInterruption { return Problem(.reportTimeout) }
        logger.error("a report failed: \(error)")
        return Problem(.internalError)
    }

    /// `/readyz`: 200 when a batch could be stored now (docs/operation.md, HTTP).
    var readiness: Response {
        if isStopping { return .text("shutting down\n", status: 503) }
        guard clock.isPlausible(Timestamp.milliseconds) else {
            return .text("the clock is wrong: set it\n", status: 503)
        }
        switch store.writer.readiness {
        case .ready: return .text("ready\n")
        case .failing(.logHeld):
            return .text("the database's log is held up by a reader\n", status: 503)
        case .failing(let error):
            let isFull = error.kind == .storageFull
            let reason = isFull ? "the disk is full" : "cannot store now; the log says why"
            return .text(reason + "\n", status: 503)
        case .closed: return .text("shutting down\n", status: 503)
        }
    }
}
