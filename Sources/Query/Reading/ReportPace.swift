import Glibc

/// How fast reports go. While something more urgent wants the processors, a report thread rests
/// after each piece of work twice as long as that took: with low priority alone reports take a
/// sixth to a quarter of what ingest could do (docs/performance.md, Ingest beside reports).
package struct ReportPace: Sendable {
    /// Reports never rest.
    package static let full = ReportPace { false }

    /// The longest rest in nanoseconds: a report has to end soon after it is interrupted.
    static let longestRest: UInt64 = 50_000_000
    /// Nanoseconds of rest for each of work. With 1 reports took a tenth of what ingest could do,
    /// with 2 and 3 no more than chance.
    private static let restPerWork: UInt64 = 2

    private let givesWay: @Sendable () -> Bool
    private let sleep: @Sendable (_ nanoseconds: UInt64) -> Void

    /// - Parameters:
    ///   - sleep: waits
    ///   - givesWay: whether something more urgent runs at this moment; any thread calls it, and
    ///     often
    package init(
        sleep: @escaping @Sendable (_ nanoseconds: UInt64) -> Void = {
            usleep(useconds_t($0 / 1_000))
        },
        givesWay: @escaping @Sendable () -> Bool
    ) {
        self.sleep = sleep
        self.givesWay = givesWay
    }

    /// How long a thread rests now, in nanoseconds.
    /// - Parameter worked: nanoseconds since its last rest, or its start
    func rest(after worked: UInt64) -> UInt64 {
        guard givesWay() else { return 0 }
        // The cap comes before the product, so that nothing overflows.
        return min(min(worked, Self.longestRest) * Self.restPerWork, Self.longestRest)
    }

    /// Lets the thread rest that long.
    func pause(after worked: UInt64) {
        let rest = rest(after: worked)
        if rest > 0 { sleep(rest) }
    }
}
