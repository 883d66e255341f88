infix operator +|= : AssignmentPrecedence

extension Int {
    /// Nothing that is counted is greater.
    static let mostCounted = 1 << 53

    /// Adds a count, and goes no further than what can be counted, whatever an answer says. Neither is below 0.
    static func +|= (sum: inout Int, more: Int) { sum = Swift.min(sum &+ more, mostCounted) }
}
