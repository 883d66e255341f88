/// What the machine knows of uploads: whether they may be, and the attempt that runs.
struct Uploads<Lock> {
    /// A time in which what waits is uploaded.
    struct Window {
        /// Nanoseconds of the monotonic clock.
        var deadline: Int64
        /// Told whether nothing waits; nil for the window of a start, which ends by itself.
        var finish: (@Sendable (Bool) -> Void)?
    }

    struct Attempt {
        let number: Int
        /// The right to upload.
        let lock: Lock
        /// Nanoseconds of the monotonic clock when it is given up; once it is, when nobody waits any longer
        /// for its connection to be closed.
        var end: Int64
        /// Whether no earlier attempt of the batch can have been stored.
        let isFirst: Bool
        /// It is cancelled, and its failure noted.
        var isGivenUp = false
    }

    var isForeground = false
    /// Something is to go now.
    var isWanted = false
    /// At the latest attempt more waited than its batch.
    var hasMore = false
    /// A count alone was refused: it goes with the next event.
    var isCountHeld = false
    var windows: [Window] = []
    var attempt: Attempt?
    /// The batch that was frozen here and never tried.
    var fresh: String?
    /// When the oldest of what waits was appended, ns.
    private(set) var oldest: Int64?
    /// When something may be posted, ns.
    var next: Int64 = 0
    /// The journal's wait that `next` was made of: another one is another process's.
    var wait = Wait.none
    /// When what is not due yet is looked at again, ns.
    var wake: Int64?
    /// The number of the latest attempt.
    private var counter = 0

    mutating func number() -> Int {
        counter += 1
        return counter
    }

    /// Something was appended.
    mutating func appended(at moment: Int64) {
        oldest = oldest ?? moment
        isCountHeld = false
    }

    /// What waited is on its way.
    mutating func frozen() { oldest = nil }

    /// Forgets what was to go: it is deleted.
    mutating func abandon() {
        fresh = nil
        isWanted = false
        hasMore = false
        oldest = nil
    }

    /// When something is to be done by the clock, ns; nil for never.
    var alarm: Int64? {
        var earliest = wake
        func take(_ moment: Int64) { earliest = min(earliest ?? moment, moment) }
        if let attempt { take(attempt.end) }
        for window in windows { take(window.deadline) }
        return earliest
    }
}
