import Dispatch

/// A moment at this node, by its clock and by one that nobody sets.
package struct NodeTime: Sendable, Equatable {
    /// Milliseconds since 1970-01-01T00:00:00Z, by a clock that may be set.
    package var wall: Int64
    /// Milliseconds since some moment, by a clock that only goes on.
    package var uptime: Int64

    /// Milliseconds by which the two may drift apart between two looks.
    private static let tolerance: UInt64 = 100

    /// Both as given.
    package init(wall: Int64, uptime: Int64) { (self.wall, self.uptime) = (wall, uptime) }

    /// The time now.
    /// - Parameter wall: the node's clock
    package static func now(_ wall: Int64) -> NodeTime {
        NodeTime(
            wall: wall,
            uptime: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000))
    }

    /// Whether the node's clock was not set since an earlier moment, nor the machine asleep.
    func isSteady(since earlier: NodeTime) -> Bool {
        let (byWall, isFar) = wall.subtractingReportingOverflow(earlier.wall)
        let (byUptime, isFarther) = uptime.subtractingReportingOverflow(earlier.uptime)
        if isFar || isFarther { return false }
        let (apart, isFarthest) = byWall.subtractingReportingOverflow(byUptime)
        // Thousandths of what has gone by: clocks are put right slowly, too.
        return !isFarthest && apart.magnitude <= Self.tolerance + byUptime.magnitude / 1000
    }
}
