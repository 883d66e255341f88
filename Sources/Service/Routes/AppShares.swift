/// How much of something that is shared each app holds, and which apps want some. Pure: the moment is
/// handed in.
struct AppShares {
    private struct Holding {
        var held = 0
        /// When it last wanted some, nanoseconds of a clock that is never set.
        var askedAt: Int64

        mutating func ask(at now: Int64) -> Int {
            askedAt = now
            return held
        }
    }

    /// For how long an app counts as one that wants some after it has asked, in nanoseconds.
    static let lasting: Int64 = 1_000_000_000

    /// By row id; as many as there are apps.
    private var holdings: [Int64: Holding] = [:]

    /// An app wants some.
    /// - Returns: what it holds already.
    mutating func ask(_ app: Int64, at now: Int64) -> Int {
        holdings[app, default: Holding(askedAt: now)].ask(at: now)
    }

    /// Whether another app holds some, or has wanted some lately.
    func othersWant(besides app: Int64, at now: Int64) -> Bool {
        holdings.contains {
            $0.key != app && ($0.value.held > 0 || now - $0.value.askedAt < Self.lasting)
        }
    }

    /// An app that has asked holds so much more, or less.
    mutating func adjust(_ app: Int64, by count: Int) {
        holdings[app]?.held += count
    }
}
