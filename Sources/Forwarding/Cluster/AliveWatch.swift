/// When a server was last found to be the one that it was: a start empties its table `alive`, and may have
/// lost what it had said to have (docs/scale.md, Hand-over). Milliseconds since 1970.
struct AliveWatch {
    /// What to do after a look.
    enum Verdict: Equatable {
        case same
        /// What was handed over after that moment is handed over again.
        case again(after: Int64)
        /// It was never given anything that counts.
        case fresh
    }

    /// A merge's sources are kept for eight minutes.
    static let reach: Int64 = 600_000

    /// By server.
    private var found: [String: Int64] = [:]

    /// A look at a server.
    /// - Parameters:
    ///   - isThere: the node's database is in its table
    ///   - lastHandOver: when something was last handed over to any; nil: never
    ///   - now: the node's clock
    mutating func look(
        at server: String, isThere: Bool, lastHandOver: Int64?, now: Int64
    ) -> Verdict {
        defer { found[server] = now }
        if isThere { return .same }
        // A node that was started again knows only when it last handed over.
        guard let last = found[server] ?? lastHandOver else { return .fresh }
        return .again(after: last - Self.reach)
    }
}
