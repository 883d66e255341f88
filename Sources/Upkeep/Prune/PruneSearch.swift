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
    private let ending: Statement
    private let doomed: Statement
    private var newest: NewestBatches

    /// - Parameter now: a session that is open then has not ended, milliseconds
    init(limit: Int64, now: Int64, _ connection: Connection) throws(StorageError) {
        let newest = try NewestBatches(connection)
        let ending = try connection.prepare(Self.selectSessions)
        let doomed = try connection.prepare(Self.select)
        try Self.bind(ending, limit: limit, now: now, connection)
        try Self.bind(doomed, limit: limit, now: now, connection)
        self.limit = limit
        self.connection = connection
        self.ending = ending
        self.doomed = doomed
        self.newest = newest
    }

    private static func bind(
        _ statement: borrowing Statement, limit: Int64, now: Int64, _ connection: Connection
    ) throws(StorageError) {
        try statement.bind(2, limit)
        try statement.bind(3, now)
        let names: [StandardEvent] = [.sessionStart, .sessionEnd, .sessionResume]
        for (index, name) in names.enumerated() {
            let row = try connection.prepare("SELECT id FROM name WHERE text = ?")
            try row.bind(1, name.rawValue)
            try statement.bind(Int32(5 + index), try row.step() ? row.int(0) : -1)
        }
    }

    // ?1 and `own` the device, ?2 the limit, ?3 now, ?4 the app's session timeout, ?5 to ?7 the names
    // of start, end and resume. A session has ended where the last of these, in the order of docs/reports.md
    // (time, and within it start, end, resume), is an end, or where its last event is long ago.
    //
    // Only batches with an event from before the limit are read event by event. Of the others it is
    // enough to know which sessions they name; where a prune has been before, they may name sessions
    // that they have no event of any more, so that one is looked for.
    private static let ended = """
        WITH \(NewestBatches.own),
        candidate AS MATERIALIZED (
            SELECT b.sessions ->> e.session AS session, max(b.received_at - e.late) AS last,
                max(CASE WHEN e.name IN (?5, ?6, ?7) THEN (b.received_at - e.late) * 4
                    + CASE e.name WHEN ?5 THEN 0 WHEN ?6 THEN 2 ELSE 3 END END) AS transition
            FROM own CROSS JOIN batch AS b CROSS JOIN event AS e
            WHERE b.id = own.batch AND b.device = ?1 AND b.first_time < ?2 AND e.session IS NOT NULL
              AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            GROUP BY 1
            HAVING last < ?2 AND (transition & 3 IS 2 OR ?3 - last >= ?4)
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
        """

    private static let selectSessions = """
        \(ended)
        SELECT session, json_quote(session) FROM candidate
        WHERE session NOT IN (SELECT session FROM younger)
        """

    // ?8 is a list of sessions that stay.
    private static let select = """
        \(ended)
        SELECT e.id, e.name, e.attributes, b.accepted - b.pruned
        FROM own CROSS JOIN batch AS b CROSS JOIN event AS e
        WHERE b.id = own.batch
          AND b.device = ?1 AND b.first_time < ?2 AND b.received_at - e.late < ?2
          AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
          AND (e.session IS NULL
            OR b.sessions ->> e.session IN (
                SELECT session FROM candidate EXCEPT SELECT session FROM younger
                EXCEPT SELECT value FROM json_each(?8)))
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

    /// The sessions of a device that have ended before the limit, and its hash; none of a device that is
    /// being erased.
    /// - Parameter timeout: the app's session timeout, milliseconds
    mutating func sessions(
        of device: Int64, timeout: Int64
    ) throws(StorageError) -> [EndedSession] {
        let owner = try connection.prepare("SELECT hash FROM device WHERE id = ?1")
        try owner.bind(1, device)
        guard try owner.step(), let hash = owner.withBlob(0, { DeviceHash($0) }) else { return [] }
        try newest.update()
        try newest.bind(device, to: ending)
        try ending.bind(4, timeout)
        defer { ending.reset() }
        var sessions: [EndedSession] = []
        while try ending.step() {
            sessions.append(
                EndedSession(device: hash, session: ending.blob(0), json: ending.text(1)))
        }
        return sessions
    }

    /// An event that is to go.
    struct Doomed {
        /// Its row.
        let event: Int64
        /// As `SlicePace` counts it; with the first of a batch that of the batch, which is read whole.
        fileprivate(set) var weight: Int32
    }

    /// So many events that are only read, and their checksum made anew, weigh as one that goes.
    private static let eventsRead: Int64 = 4

    /// Events of a device that are to go, in order of rows.
    /// - Parameters:
    ///   - timeout: the app's session timeout, milliseconds
    ///   - spared: sessions that stay, a JSON array
    ///   - maxCount: how many at most; where there are as many, there may be more
    ///   - names: gets the rows of their names
    mutating func events(
        of device: Int64, timeout: Int64, sparing spared: String, maxCount: Int,
        names: inout Set<Int64>
    ) throws(StorageError) -> [Doomed] {
        try newest.update()
        try newest.bind(device, to: doomed)
        try doomed.bind(4, timeout)
        try doomed.bind(8, spared)
        defer { doomed.reset() }
        var events: [Doomed] = []
        var lengths: [Int64: Int64] = [:]
        while events.count < maxCount, try doomed.step() {
            lengths[EventID(rawValue: doomed.int(0)).batch] = doomed.int(3)
            let weight = SlicePace.weight(ofBytes: doomed.withText(2) { $0.count })
            events.append(Doomed(event: doomed.int(0), weight: Int32(clamping: weight)))
            names.insert(doomed.int(1))
        }
        // Batches come by their ids: in order of rows a batch is one stretch.
        events.sort { $0.event < $1.event }
        for index in events.indices {
            let batch = EventID(rawValue: events[index].event).batch
            guard let length = lengths.removeValue(forKey: batch) else { continue }
            let read = min(max(length, 0), Int64(EventID.maxIndex) + 1) / Self.eventsRead
            events[index].weight = Int32(clamping: Int64(events[index].weight) + read)
        }
        return events
    }
}

extension SlicePace {
    /// How many of the events the next slice has. The rest of a batch goes with those it has, since the checksum of the
    /// batch is made anew with each slice; but a long one is cut.
    func count(of events: ArraySlice<PruneSearch.Doomed>) -> Int {
        var left = weight
        var rest = Self.weightBeyond
        var count = 0
        var last: Int64?
        for event in events {
            let batch = EventID(rawValue: event.event).batch
            if left <= 0 {
                rest -= Int(event.weight)
                if batch != last || rest < 0 { break }
            }
            left -= Int(event.weight)
            last = batch
            count += 1
        }
        return count
    }

    /// What a slice may weigh beyond what was asked for.
    private static var weightBeyond: Int { 1_024 }
}
