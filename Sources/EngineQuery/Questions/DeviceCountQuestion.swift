import Engine
import Query

/// How many devices have an event that a question is about, up to a limit (docs/reports.md, Small
/// groups). A shard stops reading once it has found as many.
enum DeviceCountQuestion {
    /// - Parameter name: of the events; nil: any
    static func ask(
        _ scope: QueryScope, sending name: ByteText?, upTo limit: Int, _ asking: inout Asking
    ) throws(QueryError) -> Int {
        let source = Source(scope)
        let rows = [source.filter, "device NOT IN \(source.shared)"].compactMap { $0 }
        let events = source.events(
            "device", name == nil ? [.time] : [.time, .name], batch: ["device"],
            rows: rows.joined(separator: " AND "), window: source.window,
            named: name.map { [$0] }, where: source.within("e_time"))
        // A device is on one shard.
        let counts = try asking.rows(
            "SELECT count() FROM (SELECT DISTINCT device FROM (\(events)) LIMIT \(limit))"
        ) { (row) throws(RowFailure) in try row.count() }
        var devices = 0
        for count in counts { devices +|= count }
        return min(devices, limit)
    }
}
