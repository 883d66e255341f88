/// How many events one page may make: 50 at once, and then one a second (client.md §8).
package struct BridgeLimit: Sendable {
    private static let burst: Int64 = 50_000
    /// What is left, in thousandths of an event.
    private var left = burst
    private var last: Int64?

    package init() {}

    /// Whether another event may pass.
    ///
    /// - Parameter now: Milliseconds of a monotonic clock.
    package mutating func admit(at now: Int64) -> Bool {
        left = min(Self.burst, left + max(0, now - (last ?? now)))
        last = now
        guard left >= 1000 else { return false }
        left -= 1000
        return true
    }
}
