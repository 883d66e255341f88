import Database
import Storage

/// What all reports of one process share.
package struct ReportEnvironment: Sendable {
    /// The newest events of each app, packed as segments, and cached columns of segments.
    let tails: SegmentTails
    /// Which sessions of each app come again.
    let sessions: KnownSessions
    /// Who completed what in segments.
    let completions: KnownCompletions
    /// The most threads on which a report computes.
    let threads: Int
    /// How fast reports go.
    let pace: ReportPace

    /// Lends a report further connections, one for each of its threads; nil: threads share its own.
    package let readers: ConnectionPool?

    /// Without counts.
    package init(
        tails: SegmentTails = SegmentTails(), threads: Int = 2, pace: ReportPace = .full,
        readers: ConnectionPool? = nil
    ) {
        self.readers = readers
        self.tails = tails
        sessions = KnownSessions(tails.room)
        completions = KnownCompletions(room: tails.room)
        self.threads = threads
        self.pace = pace
    }
}
