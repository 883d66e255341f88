import Events

/// One session, made from its events one after another, in order of time, kind, `batch_id` bytes and
/// index: pure arithmetic of docs/reports.md, Sessions.
struct SessionFold: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        /// Its last event is `session.end`.
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
    /// How many events it has.
    private(set) var count = 0
    /// There is no `session.start` among its events.
    private(set) var isStartInferred = true
    private var lastKind = SessionEventKind.other

    /// `timeout`: the app's session timeout, milliseconds.
    init(timeout: Int64) {
        self.timeout = timeout
    }

    /// Events between which no gap is longer than the timeout.
    /// - Parameters:
    ///   - start: time of the first one, milliseconds since 1970-01-01T00:00:00Z
    ///   - last: time of the last one
    ///   - silence: how much of the time between them follows a `session.end`, up to the next event
    ///   - hasStart: one of them is a `session.start`
    ///   - isEnded: the last one is a `session.end`
    init(
        timeout: Int64, from start: Int64, to last: Int64, silence: Int64, count: Int,
        hasStart: Bool, isEnded: Bool
    ) {
        self.timeout = timeout
        self.start = start
        self.last = last
        self.count = count
        duration = last &- start &- silence
        isStartInferred = !hasStart
        lastKind = isEnded ? .end : .other
    }

    /// Its last event is `session.end`.
    var isEnded: Bool { lastKind == .end }

    /// The next event. `time` is not before that of the one before.
    mutating func add(time: Int64, kind: SessionEventKind) {
        if count == 0 {
            start = time
        } else {
            // Times stand within ±(2^53−1) and an hour of them is far from the edge: no overflow.
            let gap = time &- last
            assert(gap >= 0, "events of a session come in order")
            if lastKind != .end && gap <= timeout { duration &+= gap }
        }
        last = time
        lastKind = kind
        count += 1
        if kind == .start { isStartInferred = false }
    }

    /// The events of another part of the session, of which each is later than all so far.
    mutating func add(_ later: SessionFold) {
        if later.count == 0 { return }
        if count == 0 {
            self = later
            return
        }
        let gap = later.start &- last
        assert(gap > 0, "parts of a session come in order")
        if lastKind != .end && gap <= timeout { duration &+= gap }
        duration &+= later.duration
        last = later.last
        lastKind = later.lastKind
        count += later.count
        if !later.isStartInferred { isStartInferred = false }
    }

    /// What it is at `now`, milliseconds since 1970-01-01T00:00:00Z.
    func state(at now: Int64) -> State {
        if lastKind == .end { return .closed }
        let (passed, overflow) = now.subtractingReportingOverflow(last)
        // Only a clock far from all events overflows; then its side says it.
        if overflow { return now < last ? .open : .inferred }
        return passed < timeout ? .open : .inferred
    }
}
