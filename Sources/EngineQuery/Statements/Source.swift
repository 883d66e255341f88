import Query
import TimeZones

/// What a question's statements read, and which rows of it count. Every reading of a table is by its greatest
/// version (`FINAL`).
struct Source: Sendable {
    let scope: QueryScope
    let time: LocalTime

    /// The events of the scope's days, and of days before or after them where others matter too.
    init(_ scope: QueryScope, from: CivilDate? = nil, to: CivilDate? = nil) {
        self.scope = scope
        time = LocalTime(scope.zone, from: from ?? scope.from, to: to ?? scope.to)
    }

    /// The columns of a batch by the members that can be filtered and grouped by, in the order of
    /// `ResourceFilter.dimensions`.
    private static let columns = ["os_name", "os_version", "service_version", "device_model"]

    /// The column of one of `ResourceFilter.dimensions`.
    static func column(_ dimension: String) -> String {
        columns[ResourceFilter.dimensions.firstIndex(of: dimension) ?? 0]
    }

    /// The app's rows.
    var isOwn: String { "app = \(SQL.quoted(scope.app.name))" }

    /// Rows of the app's batches: `SELECT columns` of them, of one half of the devices beside the other. Older
    /// versions of the engine read with `FINAL` on one thread: 18.16 takes half as long so. A column that is made with
    /// `IN` has to be materialized: 18.16 takes it for constant in one half.
    /// - Parameter window: in which events of theirs may lie; nil: anywhere
    func batches(
        _ columns: String, in window: Range<Int64>?, where conditions: [String?] = []
    ) -> String {
        var wanted = [isOwn] + conditions.compactMap { $0 }
        if let window {
            wanted.append("last_time >= \(window.lowerBound)")
            if window.upperBound < .max { wanted.append("first_time < \(window.upperBound)") }
        }
        return Self.halves.map { half in
            "SELECT \(columns) FROM batch FINAL WHERE \((wanted + [half]).joined(separator: " AND "))"
        }.joined(separator: " UNION ALL ")
    }

    /// Conditions of which one holds for each device. Not more than two: newer versions read on several threads
    /// anyhow, and each part costs them something.
    private static let halves: [String] = {
        let half = SQL.device([0x80] + [UInt8](repeating: 0, count: 15))
        return ["device < \(half)", "device >= \(half)"]
    }()

    /// The rows that the filters let through; nil: all.
    var filter: String? {
        let parts = zip(Self.columns, scope.filter.values).filter { !$0.1.isEmpty }
            .map { "\(SQL.known($0)) IN (\(SQL.list($1)))" }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    /// The same where an expression is needed.
    var matches: String { filter.map { "(\($0))" } ?? "1" }

    /// The shared devices. The inner question needs no `FINAL`, and leaves little to the outer one.
    var shared: String {
        """
        (SELECT device FROM batch FINAL WHERE \(isOwn) AND shared = 1 AND device IN \
        (SELECT device FROM batch WHERE \(isOwn) AND shared = 1))
        """
    }

    /// Whether an instant lies in the range.
    func within(_ time: String) -> String {
        self.time.within(time, from: scope.from, to: scope.to)
    }

    /// The instants of the range, and perhaps others between them.
    var window: Range<Int64> { scope.zone.window(from: scope.from, to: scope.to) }

    /// The index of the bucket of an instant of the range.
    func bucket(_ time: String, by interval: Interval?) -> String {
        self.time.bucket(time, by: interval)
    }

    /// Devices that are not shared, with their earliest event ever: `first`, and `ok`, whether the filters let
    /// its batch through.
    func firsts(filtered: Bool) -> String {
        let ok = filtered ? filter : nil
        let isMatch =
            ok.map { "argMin(toUInt8(\($0)), (first_time, batch_id))" } ?? "toUInt8(1)"
        return """
            SELECT device, min(first_time) AS first, \(isMatch) AS ok FROM batch FINAL \
            WHERE \(isOwn) AND first_time != 0 AND device NOT IN \(shared) GROUP BY device
            """
    }

    /// The devices that were first seen on a day of the range: `device` and `first`.
    /// - Parameter filtered: only if the filters let the batch of that event through
    func newcomers(filtered: Bool) -> String {
        "SELECT device, first FROM (\(firsts(filtered: filtered))) WHERE ok AND \(within("first"))"
    }

    /// What events are taken apart into, by the name of an array of `event`.
    enum EventColumn: String {
        case place, time, name, session, subject, value, keys, values, numbers

        /// The name of one element.
        var element: String { "e_" + rawValue }
        /// The name of the array where it is carried from a subquery.
        var array: String { "a_" + rawValue }
    }

    /// Events one by one: `SELECT columns` of them.
    /// - Parameters:
    ///   - arrays: the columns of `event` that are used, as `e_…`
    ///   - batch: columns of the batch that are used, with expressions that are the same for all its events
    ///   - rows: which batches; nil: those that the filters let through
    ///   - window: the events' times lie in it; those of other batches are not looked at
    ///   - names: of the events; nil: all. Batches without any are not taken apart
    ///   - condition: which events
    func events(
        _ columns: String, _ arrays: [EventColumn], batch: [String], rows: String?,
        window: Range<Int64>?, named names: [ByteText]? = nil, where condition: String
    ) -> String {
        var wanted = [rows]
        var kept = [condition]
        if let names {
            let literals = names.map { SQL.quoted($0) }
            let parts = literals.map { "has(event.name, \($0))" }
            wanted.append("(\(parts.joined(separator: " OR ")))")
            kept.insert("e_name IN (\(literals.joined(separator: ", ")))", at: 0)
        }
        let carried = batch + arrays.map { "event.\($0.rawValue) AS \($0.array)" }
        let joined = arrays.map { "\($0.array) AS \($0.element)" }
        return """
            SELECT \(columns) FROM (\(batches(carried.joined(separator: ", "), in: window, where: wanted))) \
            ARRAY JOIN \(joined.joined(separator: ", ")) WHERE \(kept.joined(separator: " AND "))
            """
    }

    /// The events that the question is about.
    func events(
        _ columns: String, _ arrays: [EventColumn], batch: [String],
        named names: [ByteText]? = nil, where condition: String? = nil
    ) -> String {
        let inRange = within("e_time")
        return events(
            columns, arrays, batch: batch, rows: filter, window: window, named: names,
            where: condition.map { "\($0) AND \(inRange)" } ?? inRange)
    }

    /// A batch's `is_match`: whether the filters let it through.
    var isMatch: String { "materialize(toUInt8(\(matches))) AS is_match" }

    /// A batch's `sh`: whether its device is shared.
    var isShared: String { "materialize(device IN \(shared)) AS sh" }
}
