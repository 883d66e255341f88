/// How long to wait before what failed is tried again: 0.25 s, doubling to 30 s, each ±20 %, for ever.
struct RetryPace {
    /// Milliseconds.
    private static let first: Int64 = 250
    private static let longest: Int64 = 30_000

    private var next = RetryPace.first

    /// It has worked.
    mutating func succeeded() { next = Self.first }

    /// It has failed.
    /// - Parameter draw: from 0 to below 1
    /// - Returns: milliseconds to wait
    mutating func failed(draw: Double) -> Int64 {
        defer { next = min(next * 2, Self.longest) }
        return Int64(Double(next) * (0.8 + 0.4 * min(max(draw, 0), 1)))
    }
}
