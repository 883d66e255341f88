import Query
import TimeZones

/// The sessions that began in a range and whose first event's batch the filters let through (docs/reports.md,
/// Sessions), one row each: `device`, `start`, `dur`, `z` and perhaps `own`.
///
/// Each event is one number, its time times 4 and its rank within a millisecond, so that sorting numbers is
/// sorting events; `z` is the time of the last one times 4, and 2 where the session ends in the background.
struct SessionSource: Sendable {
    let source: Source

    private static let rank = """
        multiIf(e_name = 'session.start', 0, e_name = 'session.end', 2, \
        e_name = 'session.resume', 3, 1)
        """

    /// Whether a session ends in the background.
    static let isClosed = "bitAnd(z, 3) = 2"

    /// Whether it is open: it ends in the foreground, and its last event is less than the timeout ago.
    var isOpen: String {
        let (now, timeout) = (source.scope.now, source.scope.app.sessionTimeout)
        return "bitAnd(z, 3) != 2 AND \(now) - bitShiftRight(z, 2) < \(timeout)"
    }

    /// A statement of them.
    ///
    /// What a batch has of a session is one row of `part`, a list of its numbers: there are far fewer of
    /// them than events, and strings are told apart once in each.
    /// - Parameter own: a column or an expression of the batch of the first event that is carried as `own`
    func rows(own: String? = nil) -> String {
        var batch = ["device"]
        var carried = ""
        var (made, outer) = ("", "")
        if own != nil || source.filter != nil {
            batch.append("batch_id")
            carried = ", \(SQL.ordered("arrayReduce('min', part)", "batch_id")) AS place"
        }
        if let own {
            batch.append("\(own) AS own_text")
            carried += ", own_text"
            made += ", argMin(own_text, place) AS own"
            outer = ", own"
        }
        if source.filter != nil {
            batch.append(source.isMatch)
            carried += ", is_match"
            made += ", argMin(is_match, place) AS ok"
        }
        let columns = """
            \(batch.joined(separator: ", ")), arrayMap((e_time, e_name) -> \
            bitOr(bitShiftLeft(e_time, 2), \(Self.rank)), event.time, event.name) AS ks, \
            arrayEnumerateDense(event.session) AS ds, \
            arrayFilter((s, n) -> n = 1, event.session, arrayEnumerateUniq(event.session)) AS ss
            """
        let parts = """
            SELECT device, e_session, arrayFilter((k, d) -> d = number, ks, ds) AS part\(carried) FROM \
            (\(source.batches(columns, in: nil))) \
            ARRAY JOIN ss AS e_session, arrayEnumerate(ss) AS number WHERE e_session != ''
            """
        let gap = "bitShiftRight(b, 2) - bitShiftRight(a, 2)"
        let timeout = source.scope.app.sessionTimeout
        // `gs` is how long the gaps up to each event are, those that count if the app is in the foreground; `ts` are
        // the transitions, and `us` what `gs` is there: between an end and the next of them it is in the background.
        return """
            SELECT device, bitShiftRight(ks[1], 2) AS start, \
            bitShiftLeft(bitShiftRight(ks[-1], 2), 2) + if(bitAnd(ts[-1], 3) = 2, 2, 1) AS z, \
            gs[-1] - arraySum(arrayMap((t, u, v) -> if(bitAnd(t, 3) = 2, v - u, toInt64(0)), \
            ts, us, arrayPopFront(arrayPushBack(us, gs[-1])))) AS dur\(outer) \
            FROM (SELECT *, arrayFilter(k -> bitAnd(k, 3) != 1, ks) AS ts, \
            arrayFilter((g, k) -> bitAnd(k, 3) != 1, gs, ks) AS us \
            FROM (SELECT *, arrayCumSum((a, b) -> if(\(gap) <= \(timeout), \(gap), toInt64(0)), \
            arrayPushFront(arrayPopBack(ks), ks[1]), ks) AS gs \
            FROM (SELECT device, e_session, arraySort(groupArrayArray(part)) AS ks\(made) \
            FROM (\(parts)) GROUP BY device, e_session))) \
            WHERE \(source.within("start"))\(source.filter == nil ? "" : " AND ok")
            """
    }
}
