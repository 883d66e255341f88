/// How many sessions there are of each kind; kinds are numbered from 0.
struct SessionCounts: ReportShare {
    private var counts: [Int] = []

    /// Adds sessions of a kind.
    mutating func add(_ some: Int, _ kind: Int) {
        if kind >= counts.count { counts += repeatElement(0, count: kind + 1 - counts.count) }
        counts[kind] += some
    }

    /// How many sessions there are of a kind.
    func of(_ kind: Int) -> Int { kind < counts.count ? counts[kind] : 0 }

    mutating func merge(_ other: SessionCounts) {
        for (kind, count) in other.counts.enumerated() where count > 0 { add(count, kind) }
    }
}
