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

    /// Moves a cursor after lines of so many bytes, about.
    /// - Parameter taken: called with how many events a portion has
    /// - Returns: how many they are
    func page(
        _ cursor: inout EventCursor, limit: Int, _ interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment(),
        taken: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) throws(QueryError) -> Int {
        try SegmentQueries(connection, interruption, environment).transaction {
            (queries) throws(QueryError) in
            let counts = try queries.events(&cursor, limit: limit) { events in
                taken(events.events.count)
                return events.events.count
            }
            return counts.reduce(0, +)
        }
    }
}
