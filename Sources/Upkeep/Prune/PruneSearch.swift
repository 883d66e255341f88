import Database
import Events
import Storage

/// Finds what a prune deletes (docs/operation.md, Retention): the events of sessions that ended before
/// the limit, and events without a session from before it. Looks at one device at a time, since a
/// session is one device's, on a connection that reads.
struct PruneSearch: ~Copyable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let limit: Int64
    private let connection: Connection
    private let doomed: Statement
    private var newest: NewestBatches

    /// - Parameter now: a session that is open then has not ended, milliseconds
    init(limit: Int64, now: Int64, _ connection: Connection) throws(StorageError) {
        let newest = try NewestBatches(connection)
        let doomed = try connection.prepare(Self.select)
        try doomed.bind(2, limit)
        try doomed.bind(3, now)
        let names: [StandardEvent] = [.sessionStart, .sessionEnd, .sessionResume]
        for (index, name) in names.enumerated() {
            let row = try connection.prepare("SELECT id FROM name WHERE text = ?")
            try row.bind(1, name.rawValue)
            try doomed.bind(Int32(5 + index), try row.step() ? row.int(0) : -1)
        }
        self.limit = limit
        self.connection = connection
        self.doomed = doomed
        self.newest = newest
    }

    // ?1 and `own` the device, ?2 the limit, ?3 now, ?4 the app's session timeout, ?5 to ?7 the names
    // of start, end and resume. `last` orders the events of a session as docs/reports.md has it, as far
    // as its last one is concerned: time, and within it start, others, end, resume.
    //
    // Only batches with an event from before the limit are read event by event. Of the others it is
    // enough to know which sessions they name; where a prune has been before, they may name sessions
    // that they have no event of any more, so that one is looked for.
    private static let select = """
        WITH \(NewestBatches.own),
        candidate AS MATERIALIZED (
            SELECT b.sessions ->> e.session AS session,
                max((b.received_at - e.late) * 4 + CASE e.name WHEN ?5 THEN 0 WHEN ?6 THEN 2 WHEN ?7 THEN 3
                    ELSE 1 END) AS last
            FROM own CROSS JOIN batch AS b CROSS JOIN event AS e
            WHERE b.id = own.batch AND b.device = ?1 AND b.first_time < ?2 AND e.session IS NOT NULL
              AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            GROUP BY 1
            HAVING last < ?2 * 4 AND (last & 3 = 2 OR ?3 - (last >> 2) >= ?4)
        ),
        younger AS MATERIALIZED (
            SELECT s.value AS session
            FROM own CROSS JOIN batch AS b CROSS JOIN json_each(b.sessions) AS s
            WHERE b.id = own.batch AND b.device = ?1 AND b.first_time >= ?2
              AND s.value IN (SELECT session FROM candidate)
              AND EXISTS (
                SELECT 1 FROM event AS e
                WHERE \(EventID.isSQL("e.id", ofBatch: "b.id")) AND e.session = s.key)
        )
        SELECT e.id, e.name
        FROM own CROSS JOIN batch AS b CROSS JOIN event AS e
        WHERE b.id = own.batch
          AND b.device = ?1 AND b.first_time < ?2 AND b.received_at - e.late < ?2
          AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
          AND (e.session IS NULL
            OR b.sessions ->> e.session IN (
                SELECT session FROM candidate EXCEPT SELECT session FROM younger))
        """

    /// Devices of an app that have an event from before the limit, by row.
    func devices(of app: Int64) throws(StorageError) -> [Int64] {
        try connection.integers(
            """
            SELECT device FROM batch INDEXED BY batch_by_hour
            WHERE app = ?1 AND last_time - first_time <= 86400000
              AND first_time / 3600000 <= ?2 / 3600000 AND first_time < ?2
            UNION
            SELECT device FROM batch INDEXED BY batch_by_long_time
            WHERE app = ?1 AND last_time - first_time > 86400000 AND first_time < ?2
            """, app, limit)
    }

    /// Rows of events of a device that are to go, in order.
    /// - Parameters:
    ///   - timeout: the app's session timeout, milliseconds
    ///   - maxCount: how many at most; where there are as many, there may be more
    ///   - names: gets the rows of their names
    mutating func events(
        of device: Int64, timeout: Int64, maxCount: Int, names: inout Set<Int64>
    ) throws(StorageError) -> [Int64] {
        try newest.update()
        try newest.bind(device, to: doomed)
        try doomed.bind(4, timeout)
        defer { doomed.reset() }
        var events: [Int64] = []
        while events.count < maxCount, try doomed.step() {
            events.append(doomed.int(0))
            names.insert(doomed.int(1))
        }
        // Batches come by their ids: in order of rows a batch is one stretch.
        events.sort()
        return events
    }
}
