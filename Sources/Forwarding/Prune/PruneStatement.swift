import Engine
import Events

/// What prunes an app's batches in the engine: rows of which events go are written again without them
/// (docs/scale.md, Erasing, pruning, copies). Of the devices of one stretch alone, so that each statement is short.
struct PruneStatement {
    private let app: String
    private let limit: PruneLimit
    private let sessions: EndedSessions
    private let devices: ClosedRange<UInt64>

    /// - Parameters:
    ///   - timeout: the app's session timeout, milliseconds
    ///   - devices: the first eight bytes of their hashes
    init(app: String, _ limit: PruneLimit, timeout: Int64, devices: ClosedRange<UInt64>) {
        self.app = app
        self.limit = limit
        sessions = EndedSessions(before: limit.limit, at: limit.at, timeout: timeout)
        self.devices = devices
    }

    /// How many rows of batches of an app may lose events, at most.
    static func candidates(app: String, _ limit: PruneLimit) -> String {
        "SELECT count() FROM batch WHERE app = \(EngineLiteral.text(app)) AND \(isOld(limit))"
    }

    private static func isOld(_ limit: PruneLimit) -> String {
        "first_time < \(limit.limit) AND last_time != 0"
    }

    private static let plain =
        [
            "app", "device", "batch_id", "node", "unit", "received_at", "clock_shift", "profile",
            "key", "sequence", "dropped_events", "body_bytes", "accepted", "rejected", "shared",
        ] + RowResource.columns + ["first_time", "rejection.code", "rejection.events"]

    private var own: String {
        let (low, high) = (
            DeviceKey(high: devices.lowerBound, low: 0),
            DeviceKey(high: devices.upperBound, low: .max)
        )
        return """
            app = \(EngineLiteral.text(app)) \
            AND device >= toFixedString(\(EngineLiteral.text(low.bytes)), 16) \
            AND device <= toFixedString(\(EngineLiteral.text(high.bytes)), 16)
            """
    }

    /// Batches that may lose events, with `keep`: 1 for each event that stays.
    private func rows(_ columns: [String]) -> String {
        let list = columns.joined(separator: ", ")
        let (own, isOld) = (own, Self.isOld(limit))
        let devices = "SELECT device FROM batch WHERE \(own) AND \(isOld)"
        let ended = sessions.statement(ended: true, rows: "\(own) AND device IN (\(devices))")
        // Older servers lose a column that only a lambda uses: `them` is asked for outside of it, too.
        return """
            SELECT \(list), gone AS them, arrayMap((t, s) -> t >= \(limit.limit) \
            OR (s != '' AND NOT has(them, s)), event.time, event.session) AS keep FROM \
            (SELECT \(list), gone FROM (SELECT \(list) FROM batch FINAL WHERE \(own) AND \(isOld)) AS l \
            ALL LEFT JOIN (SELECT device, groupArray(s) AS gone FROM (\(ended)) GROUP BY device) AS r \
            USING device)
            """
    }

    private static let changes = "WHERE has(keep, 0) AND length(them) >= 0"

    /// How many events go.
    var count: String {
        """
        SELECT toInt64(sum(n)) FROM (SELECT countEqual(keep, 0) AS n FROM \
        (\(rows(["device", "event.time", "event.session"]))) \(Self.changes))
        """
    }

    /// Has them go. Whether it is done once or several times is the same.
    var rewrite: String {
        let events = EventColumns.columns
        let list = (Self.plain + events + ["done.content", "done.time"]).joined(separator: ", ")
        let left = events.map { "arrayFilter((x, k) -> k, \($0), keep)" }.joined(separator: ", ")
        let complete = EngineLiteral.text(StandardEvent.contentComplete.rawValue)
        let completions = "arrayMap((k, n) -> NOT k AND n = \(complete), keep, event.name)"
        let done = [("content", "subject"), ("time", "time")].map {
            "arrayConcat(done.\($0.0), arrayFilter((x, k) -> k, event.\($0.1), \(completions)))"
        }.joined(separator: ", ")
        return """
            INSERT INTO batch (\(list), last_time, version) \
            SELECT \(Self.plain.joined(separator: ", ")), \(left), \(done), \
            arrayReduce('max', arrayConcat([toInt64(0)], arrayFilter((x, k) -> k, event.time, keep))), \
            \(RowVersion.prunedInPlaceSQL(day: limit.day)) FROM \
            (\(rows(Self.plain + events + ["done.content", "done.time", "version"]))) \
            \(Self.changes)
            """
    }
}
