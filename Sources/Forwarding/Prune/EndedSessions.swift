import Engine
import Events

/// Which sessions of the engine have ended before a limit (docs/operation.md, Retention), in the engine's
/// words. `z` is the time of a session's last event, `t` its last transition (`session.start`, `session.end` or
/// `session.resume`), as the engine orders them.
struct EndedSessions {
    /// The prune's limit, and when it began; milliseconds since 1970.
    private let limit: Int64
    private let at: Int64
    /// The app's session timeout, milliseconds.
    private let timeout: Int64

    /// - Parameter timeout: the app's session timeout, milliseconds
    init(before limit: Int64, at: Int64, timeout: Int64) {
        (self.limit, self.at, self.timeout) = (limit, at, timeout)
    }

    /// Some session may be open still whose last event lies before the limit. Else the times alone tell.
    private var mayBeOpen: Bool { at.subtractingReportingOverflow(timeout).0 < limit }

    /// Time, and within a millisecond start, end, resume; no transition is 0, and no end.
    private var last: String {
        if !mayBeOpen { return "max(e_time) AS z" }
        let ranks = [
            (StandardEvent.sessionStart, 0), (.sessionEnd, 2), (.sessionResume, 3),
        ].map { "e_name = \(EngineLiteral.text($0.0.rawValue)), \($0.1)" }
        let rank = "multiIf(\(ranks.joined(separator: ", ")), 1)"
        return "max(e_time) AS z, maxIf(e_time * 4 + \(rank), \(rank) != 1) AS t"
    }

    /// Whether a session has ended.
    private var hasEnded: String {
        if !mayBeOpen { return "z < \(limit)" }
        return "z < \(limit) AND (bitAnd(t, 3) = 2 OR \(at) - z >= \(timeout))"
    }

    /// `device` and `s` of those that have ended, or of those that have not.
    /// - Parameters:
    ///   - ended: which ones
    ///   - rows: a condition that tells which batches are looked at: all of a device
    ///   - condition: which of the sessions
    func statement(ended: Bool, rows: String, where condition: String? = nil) -> String {
        let columns = mayBeOpen ? ["time", "session", "name"] : ["time", "session"]
        let arrays = columns.map { "event.\($0) AS a_\($0)" }.joined(separator: ", ")
        let elements = columns.map { "a_\($0) AS e_\($0)" }.joined(separator: ", ")
        return """
            SELECT device, s FROM (SELECT device, e_session AS s, \(last) FROM \
            (SELECT device, \(arrays) FROM batch FINAL WHERE \(rows)) ARRAY JOIN \(elements) \
            WHERE e_session != ''\(condition.map { " AND " + $0 } ?? "") GROUP BY device, s) \
            WHERE \(ended ? "" : "NOT ")(\(hasEnded))
            """
    }
}
