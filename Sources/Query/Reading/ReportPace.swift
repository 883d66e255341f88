import Glibc

/// How fast reports go. While something more urgent wants the processors, a thread of theirs rests after
/// each piece of work twice as long as that took: low priority alone lets them take a sixth to a quarter
/// of what ingest could do (docs/performance.md, Ingest beside reports).
package struct ReportPace: Sendable {
    /// As fast as they can.
    package static let full = ReportPace { false }

    /// Nanoseconds of one rest at most: a report is to end soon after it has been told to.
    static let longestRest: UInt64 = 50_000_000
    /// Rest for one of work. With 1 reports took a tenth of what ingest could do, with 2 and 3 nothing
    /// that could be told from chance.
    private static let restPerWork: UInt64 = 2

    private let givesWay: @Sendable () -> Bool
    private let sleep: @Sendable (_ nanoseconds: UInt64) -> Void

    /// - Parameters:
    ///   - sleep: waits
    ///   - givesWay: whether something more urgent is under way at this moment; asked often, by any thread
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
    /// - Parameter worked: nanoseconds since its last rest, or its beginning
    func rest(after worked: UInt64) -> UInt64 {
        guard givesWay() else { return 0 }
        // What is long is cut before it is multiplied: nothing overflows.
        return min(min(worked, Self.longestRest) * Self.restPerWork, Self.longestRest)
    }

    /// Has the thread rest that long.
    func pause(after worked: UInt64) {
        let rest = rest(after: worked)
        if rest > 0 { sleep(rest) }
    }
}
