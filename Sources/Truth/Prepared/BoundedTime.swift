/// Milliseconds, known exactly or within bounds.
struct BoundedTime: Hashable, Sendable {
    var low: Int64
    var high: Int64

    /// One that `changes` gaps make vague: each by `TruthScope.slack`.
    init(_ exact: Int64, changes: Int = 0) {
        low = max(0, exact - TruthScope.slack * Int64(changes))
        high = exact + TruthScope.slack * Int64(changes)
    }

    static func += (a: inout BoundedTime, b: BoundedTime) {
        a.low += b.low
        a.high += b.high
    }
}
