import Dashboard
import Database
import Events
import HTTP1
import Ingest
import Logging
import Query
import Reports
import Sealing
import Sockets
import Storage
import Upkeep

/// The parts of a server, put together: each route gets those that it uses.
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
    /// Nil where the node hands over to no engine.
    let cluster: Cluster?
    let logger: Logging.Logger
    let metrics: MetricsSource
    let stop = StopFlag()

    init(
        settings: Settings, store: Store, logger: Logging.Logger, cluster: Cluster? = nil,
        meters: Meters = Meters(loops: 1),
        rateClock: @escaping @Sendable () -> Int64 = Clock.system.monotonic,
        clockSources: ArrivalClock.Sources = ArrivalClock.Sources()
    ) throws(StorageError) {
        self.settings = settings
        self.store = store
        self.cluster = cluster
        self.logger = logger
        self.meters = meters
        requestLog = RequestLog(logger)
        rateLimiter = settings.rateLimit.map { RateLimiter(perSecond: $0, clock: rateClock) }
        let tails = SegmentTails()
        answers = AnswerRoom(limit: settings.maxAnswerBytes)
        reportEnvironment = ReportEnvironment(
            tails: tails, threads: ReportExecutor.threadsOfOne,
            pace: ReportPace { [writer = store.writer] in writer.isCrowded },
            // Their pages are read once, one after the other.
            readers: ConnectionPool(limit: 2 * ReportExecutor.threadsOfOne) {
                () throws(StorageError) in try store.reader(cacheBytes: 1 << 20)
            })
        reports = ReportExecutor(
            store: store, timeout: settings.reportTimeout,
            memory: ReportMemory(limit: settings.reportMemory, caches: tails.room))
        let pruned = try store.pruneFloor()
        floor = cluster?.floor ?? EventFloor(pruned)
        keys = KeysInForce(store.registry)
        judges = BodyJudges(
            count: ProcessorCount.usable, limits: settings.ingestLimits(floor),
            pepper: store.masterKey.pepper, keys: keys, rateLimiter: rateLimiter)
        budget = Budget(limit: settings.maxBufferedBytes)
        room = FairBudget(budget, share: budget.wholeShare)
        backups = BackupJobs(store: store)
        refusals = RefusalLedger(writer: store.writer, logger: logger)
        let known = try store.clockRecord()
        clock = ArrivalClock(
            known, now: Timestamp.milliseconds, maxEventAge: settings.maxEventAge,
            sources: clockSources)
        metrics = MetricsSource(meters, store, clock, cluster?.forwarder)
        intake = BatchIntake(
            writer: store.writer, dryRuns: store.dryRuns, room: room, refusals: refusals,
            clock: clock, meters: meters, rateLimiter: rateLimiter, judges: judges,
            gauge: cluster?.gauge)
    }

    /// The apps, keys and tokens in force.
    var directory: AccessList { keys.directory }

    /// The sockets' counters, once they listen.
    var server: Server? {
        get { metrics.server }
        set { metrics.server = newValue }
    }

    private var reportSource: any ReportSource {
        if let cluster { return ClusterSource(cluster: cluster, timeout: settings.reportTimeout) }
        return SegmentSource(reportEnvironment)
    }

    /// The routes of all event loops, each with what it uses.
    var routes: RouteHandler.Routes {
        RouteHandler.Routes(
            batches: BatchRoute.Parts(
                keys: keys, intake: intake, judges: judges, limits: settings.ingestLimits(floor),
                pepper: store.masterKey.pepper, maxBodyBytes: settings.maxBodyBytes,
                origins: CORSOrigins(settings.corsOrigins)),
            dashboard: settings.dashboard
                ? DashboardRoute(DashboardPage.embedded, answers: answers) : nil,
            reports: ReportRoute(
                executor: reports, source: reportSource,
                settings: ReportSettings(minGroup: settings.reportMinGroup), keys: keys,
                registry: store.registry, refusals: refusals, answers: answers, meters: meters,
                stop: stop, logger: logger),
            control: ControlRoute(
                operations: AdminOperations(
                    store: store, floor: floor, clock: clock, backups: backups, cluster: cluster,
                    stop: stop),
                executor: reports),
            readiness: ReadinessRoute(
                clock: clock, writer: store.writer, gauge: cluster?.gauge, stop: stop),
            metrics: metrics, log: requestLog)
    }
}
