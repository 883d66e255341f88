import Engine
import Events
import Query
import TimeZones

/// Which events happened how often, of one name by the values of an attribute, and how far counters went up
/// (docs/reports.md, events and counters).
enum EventsQuestion {
    /// Sums of each name.
    static func byName(
        _ scope: QueryScope, by interval: Interval?, limit: Int, _ asking: inout Asking
    ) throws(QueryError) -> [NamedSum] {
        let source = Source(scope)
        let bucket = source.bucket("e_time", by: interval)
        let rows = source.events(
            "e_name AS n, \(bucket) AS b, toInt64(1) AS v, device, sh", [.time, .name],
            batch: ["device", source.isShared])
        return try NamedRows(
            rows, buckets: scope.bucketCount(by: interval), limit: limit, &asking
        ).ranked(by: interval != nil) { $0 }
    }

    /// Sums of each value of an attribute.
    static func byValue(
        _ scope: QueryScope, _ name: ByteText, _ key: ByteText, limit: Int, _ asking: inout Asking
    ) throws(QueryError) -> [NamedSum] {
        let source = Source(scope)
        let value = AttributeValue(key)
        let rows = source.events(
            "\(value.name) AS n, toInt64(0) AS b, toInt64(1) AS v, device, sh",
            [.time, .name] + value.columns, batch: ["device", source.isShared],
            named: [name])
        return try NamedRows(rows, limit: limit, &asking)
            .ranked(by: false) { AttributeValue.text(of: $0) }
    }

    /// Sums of each counter.
    static func counters(
        _ scope: QueryScope, by interval: Interval?, limit: Int, _ asking: inout Asking
    ) throws(QueryError) -> [NamedSum] {
        let source = Source(scope)
        let bucket = source.bucket("e_time", by: interval)
        let rows = source.events(
            "e_subject AS n, \(bucket) AS b, e_value AS v, device, sh",
            [.time, .name, .subject, .value], batch: ["device", source.isShared],
            named: [ByteText(StandardEvent.usageCounter.name)], where: "e_subject != ''")
        return try NamedRows(
            rows, buckets: scope.bucketCount(by: interval), limit: limit, &asking
        ).ranked(by: interval != nil) { $0 }
    }
}
