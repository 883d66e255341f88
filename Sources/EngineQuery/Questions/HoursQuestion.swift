import Engine
import Query

/// What happened in each hour of the week (docs/reports.md, hours).
struct HoursQuestion {
    private static let hours = 7 * 24

    private let source: Source

    init(_ scope: QueryScope) {
        source = Source(scope)
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [HourSums] {
        var values = [HourSums](repeating: HourSums(), count: Self.hours)
        let events = source.events(
            "device, sh, \(source.time.hourOfWeek("e_time")) AS h", [.time],
            batch: ["device", source.isShared])
        let rows = try asking.rows(
            "SELECT h, count(), uniqExactIf(device, NOT sh) FROM (\(events)) GROUP BY h"
        ) { (row) throws(RowFailure) in
            (hour: try row.index(), events: try row.count(), devices: try row.count())
        }
        for (hour, events, devices) in rows where values.indices.contains(hour) {
            values[hour].events +|= events
            values[hour].devices +|= devices
        }
        let sessions = try asking.rows(
            """
            SELECT \(source.time.hourOfWeek("start")) AS h, count() \
            FROM (\(SessionSource(source: source).rows())) GROUP BY h
            """
        ) { (row) throws(RowFailure) in (hour: try row.index(), sessions: try row.count()) }
        for (hour, sessions) in sessions where values.indices.contains(hour) {
            values[hour].sessions +|= sessions
        }
        return values
    }
}
