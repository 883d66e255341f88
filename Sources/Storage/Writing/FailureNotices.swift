/// Which failures are worth a line in the log: the first at once, then at most one a second. A disk
/// that is full for some and not for others would otherwise fill it with turns for good and ill.
struct FailureNotices {
    /// Nanoseconds.
    static let interval: UInt64 = 1_000_000_000

    private var lastTold: UInt64?
    private var leftOut = 0
    /// Somebody was told that the writer is in trouble, and not yet that it no longer is.
    private var isTroubleTold = false

    /// Takes a failure into account.
    /// - Parameter now: of a clock that never goes back, nanoseconds.
    /// - Parameter isTrouble: it keeps the writer from writing.
    /// - Returns: how many were left out since the last that was told; nil if this one is left out too.
    mutating func failure(at now: UInt64, isTrouble: Bool) -> Int? {
        if let lastTold, now < lastTold + Self.interval {
            leftOut += 1
            return nil
        }
        lastTold = now
        if isTrouble { isTroubleTold = true }
        defer { leftOut = 0 }
        return leftOut
    }

    /// The writer is out of trouble: whether that is worth telling.
    mutating func recovery() -> Bool {
        defer { isTroubleTold = false }
        return isTroubleTold
    }
}
