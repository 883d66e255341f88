/// When a server was last found to be the one that it was: a start empties its table `alive`, and may have
/// lost what it had said to have (docs/scale.md, Hand-over). Milliseconds since 1970.
struct AliveWatch {
    /// What to do after a look.
    enum Verdict: Equatable {
        case same
        /// What was handed over after that moment is handed over again.
        case again(after: Int64)
        /// Nothing that was handed over counts.
        case fresh
    }

    /// A merge's sources are kept for eight minutes.
    static let reach: Int64 = 600_000

    /// By server.
    private var found: [String: Int64] = [:]
    /// The server of each shard at which it was looked last.
    private(set) var last: [Int: String] = [:]

    /// What a look at a server means. It counts once `saw` is called.
    /// - Parameters:
    ///   - shard: which one it is, from 0
    ///   - isInPlace: another one's, of which nobody knows whether it has passed on all that it was given
    ///   - isThere: the node's database is in its table
    ///   - lastHandOver: when something was last handed over to any; nil: never
    func verdict(
        on server: String, shard: Int, isInPlace: Bool, isThere: Bool, lastHandOver: Int64?
    ) -> Verdict {
        if isThere, !isInPlace { return .same }
        // A node that was started again knows only when it last handed over.
        let before = isInPlace ? last[shard].flatMap { found[$0] } : found[server]
        guard let moment = before ?? lastHandOver else { return .fresh }
        return .again(after: moment - Self.reach)
    }

    /// What a look has shown is done.
    /// - Parameter now: the node's clock
    mutating func saw(_ server: String, shard: Int, now: Int64) {
        (found[server], last[shard]) = (now, server)
    }
}
