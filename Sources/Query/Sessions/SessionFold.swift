import Events

/// One session, or a part of one, made from its events one after another, in order of time, kind,
/// `batch_id` bytes and index: pure arithmetic of docs/reports.md, Sessions.
///
/// Its first event finds the app in the foreground, whatever it is. A part of which an earlier one is
/// added learns then whether that holds: so it keeps apart how long it lasts until its first transition
/// (`session.start`, `session.end`, `session.resume`).
struct SessionFold: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        /// It ends in the background.
        case closed
        /// Less than the timeout has passed since its last event.
        case open
        /// It ended at its last event, though nobody said so.
        case inferred
    }

    /// A longer gap does not count as foreground time, milliseconds.
    let timeout: Int64
    /// When the first event happened, milliseconds since 1970-01-01T00:00:00Z; 0 before there is
    /// one.
    private(set) var start: Int64 = 0
    /// When the last event happened, as `start`.
    private(set) var last: Int64 = 0
    /// Foreground time, milliseconds.
    private(set) var duration: Int64 = 0
    /// How much of `duration` is before the first transition: all of it, where there is none.
    private(set) var lead: Int64 = 0
    /// How many events it has.
    private(set) var count = 0
    /// There is no `session.start` among its events.
    private(set) var isStartInferred = true
    /// One of its events is a transition.
    private(set) var hasTransition = false
    /// The app is in the background after its last event.
    private(set) var isInBackground = false

    /// `timeout`: the app's session timeout, milliseconds.
    init(timeout: Int64) {
        self.timeout = timeout
    }

    /// What is known of events between which no gap is longer than the timeout.
    struct Summary {
        /// Time of the first event, milliseconds since 1970-01-01T00:00:00Z.
        let start: Int64
        /// From the first event to the last; how much of that is time in the background, and how much is
        /// before the first transition; milliseconds.
        let length, silence, lead: Int64
        let count: Int
        /// As in the fold.
        let hasStart, hasTransition, isInBackground: Bool
    }

    /// A fold of such events.
    init(timeout: Int64, _ summary: Summary) {
        self.timeout = timeout
        start = summary.start
        last = summary.start &+ summary.length
        duration = summary.length &- summary.silence
        lead = summary.hasTransition ? summary.lead : duration
        count = summary.count
        isStartInferred = !summary.hasStart
        hasTransition = summary.hasTransition
        isInBackground = summary.isInBackground
    }

    /// The next event. `time` is not before that of the one before.
    mutating func add(time: Int64, kind: SessionEventKind) {
        if count == 0 {
            start = time
        } else {
            addGap(until: time)
        }
        last = time
        count += 1
        if let setsForeground = kind.setsForeground {
            isInBackground = !setsForeground
            hasTransition = true
        }
        if kind == .start { isStartInferred = false }
    }

    /// The events of another part of the session, of which each is later than all so far.
    mutating func add(_ later: SessionFold) {
        if later.count == 0 { return }
        if count == 0 {
            self = later
            return
        }
        assert(later.start > last, "parts of a session come in order")
        addGap(until: later.start)
        duration &+= isInBackground ? later.duration &- later.lead : later.duration
        if !hasTransition { lead &+= later.lead }
        if later.hasTransition {
            isInBackground = later.isInBackground
            hasTransition = true
        }
        last = later.last
        count += later.count
        if !later.isStartInferred { isStartInferred = false }
    }

    /// The time from the last event to the next one.
    private mutating func addGap(until time: Int64) {
        // Times stand within ±(2^53−1) and an hour of them is far from the edge: no overflow.
        let gap = time &- last
        assert(gap >= 0, "events of a session come in order")
        if isInBackground || gap > timeout { return }
        duration &+= gap
        if !hasTransition { lead &+= gap }
    }

    /// What it is at `now`, milliseconds since 1970-01-01T00:00:00Z.
    func state(at now: Int64) -> State {
        if isInBackground { return .closed }
        let (passed, overflow) = now.subtractingReportingOverflow(last)
        // Only a clock far from all events overflows; then its side says it.
        if overflow { return now < last ? .open : .inferred }
        return passed < timeout ? .open : .inferred
    }
}
