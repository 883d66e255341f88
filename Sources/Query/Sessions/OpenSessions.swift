import Database
import Events
import Storage

/// The sessions of a question that are open when it is asked: few, so that finding them costs far
/// less than a report.
enum OpenSessions {
    /// How many began in the question's range and match its filters. Throws what the database
    /// throws.
    static func count(_ scope: QueryScope, _ reading: Reading) throws(StorageError) -> Int {
        let sessions = try candidates(scope, reading)
        if sessions.isEmpty { return 0 }
        let scan = try SessionScan(scope, among: sessions, reading)
        let now = scope.now
        return try scan.collect(SessionCounts(), reading) { counts, session in
            if session.fold.state(at: now) == .open { counts.add(1, 0) }
        }.of(0)
    }

    /// The sessions with a piece whose last event is recent enough and is no `session.end`, as far as the head of the
    /// piece tells. One that comes after an end may be in the foreground: another piece may have a resume between.
    private static func candidates(
        _ scope: QueryScope, _ reading: Reading
    ) throws(StorageError) -> SessionSet {
        var sessions = SessionSet()
        let (last, overflow) = scope.now.subtractingReportingOverflow(
            scope.app.sessionTimeout)
        let end = EventList.always.upperBound
        if overflow || last >= end - 1 { return sessions }
        // A device's clock may be ahead, so the stretch has no upper bound.
        var scan = try reading.segments(of: scope.app.id, last + 1..<end, .sessions)
        while try scan.next() {
            for group in scan.part.groups
            where group.last > last && !(group.isInBackground && group.silence == 0) {
                if let session = group.session { sessions.insert(session) }
            }
        }
        return sessions
    }
}
