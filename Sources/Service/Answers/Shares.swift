/// How much of something that is shared each holder has, and which holders want some. Pure: the moment is
/// handed in.
struct Shares<Holder: Hashable> {
    private struct Holding {
        var held = 0
        /// When it last wanted some, nanoseconds of a clock that is never set.
        var askedAt: Int64

        mutating func ask(at now: Int64) -> Int {
            askedAt = now
            return held
        }
    }

    /// For how long a holder counts as one that wants some after it has asked, in nanoseconds.
    static var lasting: Int64 { 1_000_000_000 }

    /// As many as there are apps, or tokens.
    private var holdings: [Holder: Holding] = [:]

    /// A holder wants some.
    /// - Returns: what it holds already.
    mutating func ask(_ holder: Holder, at now: Int64) -> Int {
        holdings[holder, default: Holding(askedAt: now)].ask(at: now)
    }

    /// Whether another one holds some, or has wanted some lately.
    func othersWant(besides holder: Holder, at now: Int64) -> Bool {
        holdings.contains {
            $0.key != holder && ($0.value.held > 0 || now - $0.value.askedAt < Self.lasting)
        }
    }

    /// A holder that has asked holds so much more, or less.
    mutating func adjust(_ holder: Holder, by count: Int) {
        holdings[holder]?.held += count
    }
}
