import Events

/// How many events are deleted at once: so many that the writer is blocked for about `goal`, and for as long as a sync
/// takes on its disk however little is written: the shortest commit so far.
struct SlicePace: Sendable, Equatable {
    /// Nanoseconds.
    static let goal: UInt64 = 5_000_000
    static let bounds = 32...4_096

    /// Events of the next slice, about: a batch is not cut.
    private(set) var events = 256
    private var shortestCommit = UInt64.max

    /// As many as may be at once, where nobody waits for the writer.
    static let unhurried: SlicePace = {
        var pace = SlicePace()
        pace.events = bounds.upperBound
        return pace
    }()

    /// - Parameter time: what the last slice took
    mutating func took(_ time: SliceTime) {
        shortestCommit = min(shortestCommit, time.commit)
        let (sum, isTooLong) = time.work.addingReportingOverflow(time.commit - shortestCommit)
        let nanoseconds = isTooLong ? .max : sum
        if nanoseconds > Self.goal {
            events = max(events / 2, Self.bounds.lowerBound)
        } else if nanoseconds < Self.goal / 2 {
            events = min(events * 2, Self.bounds.upperBound)
        }
    }

    /// How many of the events the next slice has: whole batches.
    func count(of events: ArraySlice<Int64>) -> Int {
        guard events.count > self.events else { return events.count }
        let batch = EventID(rawValue: events[events.startIndex + self.events - 1]).batch
        let end = events[(events.startIndex + self.events)...].firstIndex {
            EventID(rawValue: $0).batch != batch
        }
        return (end ?? events.endIndex) - events.startIndex
    }
}
