/// How much is deleted at once: so much that the writer is blocked for about `goal`, and for as long as a sync takes on
/// its disk however little is written: the shortest commit so far.
struct SlicePace: Sendable, Equatable {
    /// Nanoseconds.
    static let goal: UInt64 = 5_000_000
    static let bounds = 32...4_096
    /// A row weighs one, and one more for so many bytes of its texts: what is deleted is overwritten, page by page, and
    /// goes to the WAL. So the largest slice has a megabyte of texts.
    private static let bytesPerWeight = 256

    /// What the rows of the next slice weigh, about.
    private(set) var weight = 256
    private var shortestCommit = UInt64.max
    /// Nobody waits for the writer.
    private var isUnhurried = false

    /// As many as may be at once, where nobody waits for the writer.
    static let unhurried: SlicePace = {
        var pace = SlicePace()
        (pace.weight, pace.isUnhurried) = (bounds.upperBound, true)
        return pace
    }()

    /// - Parameter time: what the last slice took
    mutating func took(_ time: SliceTime) {
        if isUnhurried { return }
        shortestCommit = min(shortestCommit, time.commit)
        let (sum, isTooLong) = time.work.addingReportingOverflow(time.commit - shortestCommit)
        let nanoseconds = isTooLong ? .max : sum
        if nanoseconds > Self.goal {
            weight = max(weight / 2, Self.bounds.lowerBound)
        } else if nanoseconds < Self.goal / 2 {
            weight = min(weight * 2, Self.bounds.upperBound)
        }
    }

    /// Of a row whose texts have so many bytes.
    static func weight(ofBytes bytes: Int) -> Int { 1 + max(0, bytes) / bytesPerWeight }
}
