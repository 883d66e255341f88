import Events

/// The events of one batch that were not taken.
struct RejectionLog {
    private(set) var rejected = 0
    private(set) var first: [Rejection] = []
    private var counts = [Int](repeating: 0, count: EventRule.allCases.count)
    private var firsts = [Int](repeating: 0, count: EventRule.allCases.count)

    mutating func reset() {
        guard rejected > 0 else { return }
        rejected = 0
        first = []
        for row in counts.indices { counts[row] = 0 }
    }

    /// Indices come in ascending order.
    mutating func add(index: Int, rule: EventRule) {
        rejected += 1
        if first.count < Rejection.maxReported { first.append(Rejection(index: index, rule: rule)) }
        let row = Int(rule.rawValue)
        if counts[row] == 0 { firsts[row] = index }
        counts[row] += 1
    }

    /// By code, in order of `EventRule`.
    func byCode() -> [RejectionCount] {
        guard rejected > 0 else { return [] }
        var out: [RejectionCount] = []
        for rule in EventRule.allCases where counts[Int(rule.rawValue)] > 0 {
            let count = counts[Int(rule.rawValue)]
            let first = firsts[Int(rule.rawValue)]
            if let known = out.firstIndex(where: { $0.code == rule.code }) {
                out[known].count += count
                out[known].firstIndex = min(out[known].firstIndex, first)
            } else {
                out.append(RejectionCount(code: rule.code, count: count, firstIndex: first))
            }
        }
        return out
    }
}
