import Columns
import Database
import Storage

/// The database as one report sees it: a connection that is the report's alone meanwhile, and the
/// flag that ends the report.
package struct Reading: Sendable {
    /// For whatever does not prepare a statement.
    let connection: Connection
    private let interruption: Interruption
    let environment: ReportEnvironment
    /// Of the threads that work on the report, to use the connection.
    let turn = ConnectionTurn()

    /// Of a report that ends when `interruption` is raised.
    package init(
        _ connection: Connection, _ interruption: Interruption,
        _ environment: ReportEnvironment = ReportEnvironment()
    ) {
        self.connection = connection
        self.interruption = interruption
        self.environment = environment
    }

    /// What the report holds.
    var account: ReportAccount { interruption.account }

    /// On how many threads at most it computes.
    var threads: Int { environment.threads }

    /// Whether an app has few of all devices. Throws what the database throws, and if the report is to end.
    func areDevicesFew(of app: Int64) throws(StorageError) -> Bool {
        try environment.devices.areFew(of: app, self)
    }

    /// Compiles one statement. Throws what the database throws, and if the report is to end.
    func prepare(_ sql: String) throws(StorageError) -> Statement {
        try check()
        return try connection.prepare(sql)
    }

    /// The parts of an app's batches with events in a stretch of time. Throws what the database throws,
    /// and if the report is to end.
    func segments(
        of app: Int64, _ window: Range<Int64>, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentScan {
        SegmentScan(try segmentList(of: app, window), columns)
    }

    /// The same for more than one thread: see `inParallel`. Between segments a thread looks whether the
    /// report is to end, and rests where something is more urgent.
    func segmentList(
        of app: Int64, _ window: Range<Int64>
    ) throws(StorageError) -> SegmentList {
        try check()
        return try SegmentList(
            of: app, window, connection, environment.tails, account: account, turn: turn
        ) { (worked) throws(StorageError) in
            try check()
            pause(after: worked)
        }
    }

    /// Has `body` run on as many threads as have time, and puts together what each of them makes of its
    /// share of a scan. It must not use the connection but through that scan. Throws what one of them
    /// throws.
    func inParallel<Share: ReportShare>(
        _ body: @escaping @Sendable () throws(StorageError) -> Share
    ) throws(StorageError) -> Share {
        try ReportCrew.run(body, threads: environment.threads)
    }

    /// All batches of an app. Throws what the database throws, and if the report is to end.
    func batches(of app: Int64) throws(StorageError) -> BatchScan {
        try check()
        return try BatchScan(of: app, connection, environment.tails)
    }

    /// Throws if the report is to end: for places where no statement is under way.
    func check() throws(StorageError) {
        if interruption.isRaised { throw .interrupted(path: connection.path) }
    }

    /// Has the thread rest where something is more urgent: for places where it may take its time.
    /// - Parameter worked: nanoseconds since its last rest, or its beginning
    func pause(after worked: UInt64) { environment.pace.pause(after: worked) }

    /// Runs `body` so that all its statements see one state of the database.
    func transaction<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try check()
        try connection.execute("BEGIN")
        // Nothing was written: ending it either way is the same. Where even that is interrupted, the
        // connection is still in its transaction: whoever interrupts has to look.
        defer { connection.rollBack() }
        return try body()
    }
}
