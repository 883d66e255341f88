import Query
import StoreTestSupport
import Testing
import TimeZones

extension TestStore {
    /// Its app's days of a range in its zone, asked for at noon, whatever the resource.
    func scope(_ from: String, _ to: String) throws -> QueryScope {
        let zone = try TimeZoneRules(name: app.timeZone)
        return QueryScope(
            app: app, now: noon, zone: zone, today: zone.day(at: noon),
            from: try #require(CivilDate(parsing: Array(from.utf8))),
            to: try #require(CivilDate(parsing: Array(to.utf8))), filter: .everything)
    }

    /// Moves a cursor after so many events at most.
    /// - Parameter taken: told after each event how many there were
    /// - Returns: how many they are
    func page(
        _ cursor: inout EventCursor, limit: Int, _ interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment(),
        taken: @escaping (_ count: Int) -> Void = { _ in }
    ) throws(QueryError) -> Int {
        try SegmentQueries(connection, interruption, environment).page {
            (queries) throws(QueryError) in
            var sink = CountingSink(limit: limit, taken: taken)
            try queries.events(&cursor, to: &sink)
            return (sink.count, isLast: cursor.isDone)
        }
    }
}

/// Counts the events of an export that it takes.
private struct CountingSink: EventSink {
    let limit: Int
    let taken: (_ count: Int) -> Void
    private(set) var count = 0

    init(limit: Int, taken: @escaping (_ count: Int) -> Void) {
        self.limit = limit
        self.taken = taken
    }

    var isFull: Bool { count >= limit }

    /// A page of many events is read in portions.
    var wanted: Int { min(limit - count, 256) }

    mutating func begin(
        time: Int64, index: Int64, name: [UInt8], session: ArraySlice<UInt8>?,
        of batch: ExportedBatch
    ) {}

    mutating func attribute(_ key: [UInt8], _ value: Span<UInt8>) {}

    mutating func end() {
        count += 1
        taken(count)
    }
}
