/// Clocks of nodes, of which nobody knows that they are right.
enum NodeClocks {
    /// Milliseconds by which they may differ, and what is on its way may be late: what has to be found by a moment
    /// of another node is looked for so much earlier.
    static let reach: Int64 = 600_000
}
