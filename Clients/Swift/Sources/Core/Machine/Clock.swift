/// The device's clock, read once; from then on the monotonic clock counts, so that a clock that is set
/// while the app runs moves no event (client.md §4).
package struct Clock: Sendable {
    /// The device's clock when this was made, ms since 1970.
    private let wall: Int64
    /// The monotonic clock then, ns.
    private let monotonic: Int64

    package init(wall: Int64, monotonic: Int64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Milliseconds since 1970 at a moment of the monotonic clock (ns), which may be before `start`.
    package func time(at moment: Int64) -> Int64 { wall + (moment - monotonic) / 1_000_000 }
}
