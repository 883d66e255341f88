import Database
import Events
import Storage

/// The sessions of a question that are open when it is asked: few, so that finding them is no report.
enum OpenSessions {
    /// How many began in the question's range and are let through by its filters. Throws what the
    /// database throws.
    static func count(_ question: Question, _ reading: Reading) throws(StorageError) -> Int {
        let sessions = try candidates(question, reading)
        if sessions.isEmpty { return 0 }
        let scan = try SessionScan(question, among: sessions, reading)
        let now = question.now
        return try scan.collect(SessionCounts(), reading) { counts, session in
            if session.fold.state(at: now) == .open { counts.add(1, 0) }
        }.of(0)
    }

    /// Those of which some piece has a last event that is young enough and no end.
    private static func candidates(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> SessionSet {
        var sessions = SessionSet()
        let (last, overflow) = question.now.subtractingReportingOverflow(
            question.app.sessionTimeout)
        let end = EventList.always.upperBound
        if overflow || last >= end - 1 { return sessions }
        // A device's clock may be ahead: there is no end.
        var scan = try reading.segments(of: question.app.id, last + 1..<end, .sessions)
        while try scan.next() {
            for group in scan.part.groups where group.last > last && !group.isEnded {
                if let session = group.session { sessions.insert(session) }
            }
        }
        return sessions
    }
}
