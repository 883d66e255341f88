import Columns
import Database
import Dispatch
import Storage
import Synchronization

/// The database as one report sees it: a connection that only this report uses while it runs, and
/// the flag that ends the report.
package struct Reading: Sendable {
    /// For everything but preparing statements.
    let connection: Connection
    private let interruption: Interruption
    let environment: ReportEnvironment
    /// Lets one thread of the report at a time use the connection.
    let turn = ConnectionTurn()

    /// For a report that ends when `interruption` is raised.
    package init(
        _ connection: Connection, _ interruption: Interruption,
        _ environment: ReportEnvironment = ReportEnvironment()
    ) {
        self.connection = connection
        self.interruption = interruption
        self.environment = environment
    }

    /// The memory that the report holds.
    var account: ReportAccount { interruption.account }

    /// The most threads on which the report computes.
    var threads: Int { environment.threads }

    /// Compiles one statement. Throws what the database throws, and if the report has to end.
    func prepare(_ sql: String) throws(StorageError) -> Statement {
        try check()
        return try connection.prepare(sql)
    }

    /// The parts of an app's batches with events in a stretch of time. Throws what the database
    /// throws, and if the report has to end.
    func segments(
        of app: Int64, _ window: Range<Int64>, _ columns: SegmentReader.Columns
    ) throws(StorageError) -> SegmentScan {
        SegmentScan(try segmentList(of: app, window), columns)
    }

    /// The same for more than one thread: see `inParallel`. Between segments a thread checks
    /// whether the report has to end, and rests where something is more urgent.
    /// - Parameter isKnown: whether a segment is to be left out
    func segmentList(
        of app: Int64, _ window: Range<Int64>,
        except isKnown: (SegmentCache.Segment) -> Bool = { _ in false }
    ) throws(StorageError) -> SegmentList {
        try check()
        return try SegmentList(
            of: app, window, connection, environment.tails, account: account, turn: turn,
            readers: environment.readers, except: isKnown
        ) { (worked) throws(StorageError) in
            try check()
            pause(after: worked)
        }
    }

    /// The segments of a stretch of time that are stored. Throws what the database throws, and if the report has
    /// to end.
    func storedSegments(
        of app: Int64, _ window: Range<Int64>
    ) throws(StorageError) -> [SegmentCache.Segment] {
        try check()
        return try SegmentList.identities(storedOf: app, window, connection)
    }

    /// Runs `body` on as many threads as are free, and merges what each of them makes of its share
    /// of a scan. `body` must not use the connection other than through that scan. Throws what one
    /// of the threads throws.
    func inParallel<Share: ReportShare>(
        _ body: @escaping @Sendable () throws(StorageError) -> Share
    ) throws(StorageError) -> Share {
        try ReportCrew.run(body, threads: environment.threads)
    }

    /// Calls `body` once with each index below `count`, on as many threads as are free, and puts together the
    /// shares. Before each it looks whether the report has to end, and after each it rests where something is
    /// more urgent. Throws what one of them throws.
    /// - Parameter empty: the share each thread begins with
    func inParallel<Share: ReportShare>(
        _ count: Int, _ empty: Share,
        _ body: @escaping @Sendable (inout Share, Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let taken = Atomic(0)
        return try inParallel { () throws(StorageError) in
            var share = empty
            while true {
                let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < count else { return share }
                try check()
                let begun = DispatchTime.now().uptimeNanoseconds
                defer { pause(after: DispatchTime.now().uptimeNanoseconds &- begun) }
                try body(&share, index)
            }
        }
    }

    /// Calls `body` with a connection that no other thread uses meanwhile: one that is lent, or else in its
    /// turn the report's own. A lent one sees all that was stored when the report began, and perhaps more.
    /// Throws what `body` throws.
    func lending<T: Sendable>(
        _ body: (Reading) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let lent = try environment.readers?.lend { (connection) throws(StorageError) in
            try body(Reading(connection, interruption, environment))
        }
        if let lent { return lent }
        // With a turn of its own: a turn is not nested.
        return try turn.take { () throws(StorageError) in
            try body(Reading(connection, interruption, environment))
        }
    }

    /// Has a table or an index fetched from the disk, beside what the report does meanwhile.
    func readAhead(all name: String) {
        guard let readers = environment.readers else { return }
        reportHelpers.async { [ahead = environment.tails.ahead] in
            _ = try? readers.lend { (connection) throws(StorageError) in
                ahead.hint(all: name, on: connection)
            }
        }
    }

    /// All batches of an app. Throws what the database throws, and if the report has to end.
    func batches(of app: Int64) throws(StorageError) -> BatchScan {
        try check()
        readAhead(all: "batch")
        return try BatchScan(of: app, connection, environment.tails)
    }

    /// Throws if the report has to end: for code that runs no statement.
    func check() throws(StorageError) {
        if interruption.isRaised { throw .interrupted(path: connection.path) }
    }

    /// Lets the thread rest where something is more urgent: for code that may take its time.
    /// - Parameter worked: nanoseconds since its last rest, or its start
    func pause(after worked: UInt64) { environment.pace.pause(after: worked) }

    /// Runs `body` so that all its statements see one state of the database.
    func transaction<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try check()
        try connection.execute("BEGIN")
        // Nothing was written, so a rollback does what a commit would. If even that is interrupted,
        // the connection is still in its transaction: the caller that interrupts has to check.
        defer { connection.rollBack() }
        return try body()
    }
}
