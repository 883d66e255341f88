import Engine
import Query

/// Searches for the values of ranks in many groups over several shards. A step counts values by their upper
/// bits; the next one looks within those of which one has the rank, until there are no more of them than may
/// be read. So what comes back does not grow with the values.
struct RankSearches {
    /// A statement of rows `g`, a text that names the group, and `v`, a number.
    let values: String
    let percents: [Int]

    /// How many values have some upper bits.
    private struct Count {
        let prefix: UInt64
        let count: UInt64
    }

    /// Values of a group that have the same upper bits.
    private struct Slot: Hashable {
        let group: [UInt8]
        let prefix: UInt64
    }

    /// A rank that is searched for.
    private struct Search {
        let group: [UInt8]
        /// The index of the percentile.
        let index: Int
        /// Counted from 1, among the values whose upper bits are `prefix`.
        var rank: UInt64
        /// How many values these are.
        var count: UInt64 = 0
        var prefix: UInt64 = 0

        init(group: [UInt8], index: Int, rank: UInt64) {
            (self.group, self.index, self.rank) = (group, index, rank)
        }

        var slot: Slot { Slot(group: group, prefix: prefix) }

        /// Goes on with the values that have some further bits.
        /// - Parameter counts: of the group, in order
        mutating func narrow(_ counts: [Count], by bits: Int) {
            let low = prefix << UInt64(bits)
            let high = low | (1 << UInt64(bits) - 1)
            (prefix, count) = (low, 0)
            for one in counts where one.prefix >= low && one.prefix <= high {
                (prefix, count) = (one.prefix, one.count)
                if rank <= one.count { return }
                rank -= one.count
            }
            // Values have gone meanwhile: it is the greatest that there are.
            rank = count
        }
    }

    /// Bits that a step looks at. The first has the sign, the exponent and some of the mantissa.
    private static let firstBits = 16
    private static let stepBits = 10
    /// Bytes of names in a statement.
    private static let maxNames = 100_000

    /// The values of the percentiles by group; none for a group without values. Throws what the engine throws.
    /// - Parameter groups: which are wanted; nil: all
    func find(
        in groups: [[UInt8]]? = nil, _ asking: inout Asking
    ) throws(QueryError) -> [[UInt8]: [Double]] {
        var found: [[UInt8]: [Double]] = [:]
        if percents.isEmpty { return found }
        guard let groups else {
            try find(where: "1", &found, &asking)
            return found
        }
        for some in SQL.parts(groups, size: \.count, within: Self.maxNames) {
            let names = some.map { SQL.quoted($0) }.joined(separator: ", ")
            try find(where: "g IN (\(names))", &found, &asking)
        }
        return found
    }

    private func find(
        where condition: String, _ found: inout [[UInt8]: [Double]], _ asking: inout Asking
    ) throws(QueryError) {
        var shift = DoubleKey.bits - Self.firstBits
        var counts = try counts(shift, where: condition, &asking)
        var searches: [Search] = []
        for (group, counts) in counts {
            let count = counts.reduce(0) { $0 &+ $1.count }
            found[group] = [Double](repeating: 0, count: percents.count)
            for (index, percent) in percents.enumerated() {
                var search = Search(
                    group: group, index: index, rank: Percentiles.rank(percent, of: count))
                search.narrow(counts, by: Self.firstBits)
                searches.append(search)
            }
        }
        while shift > 0 {
            var open: [Slot: UInt64] = [:]
            for search in searches { open[search.slot] = search.count }
            let isReadWhole = open.values.reduce(0, &+) <= asking.portions.values
            let next = isReadWhole ? 0 : max(0, shift - Self.stepBits)
            counts = [:]
            for some in SQL.parts(
                Array(open.keys), size: \.group.count, within: Self.maxNames)
            {
                let slots = some.map { "(\(SQL.quoted($0.group)), toUInt64(\($0.prefix)))" }
                let within = "(g, bitShiftRight(u, \(shift))) IN (\(slots.joined(separator: ", ")))"
                let found = try self.counts(next, where: within, &asking)
                counts.merge(found) { $0 + $1 }
            }
            for group in counts.keys { counts[group]?.sort { $0.prefix < $1.prefix } }
            for index in searches.indices {
                let counts = counts[searches[index].group] ?? []
                searches[index].narrow(counts, by: shift - next)
            }
            shift = next
        }
        for search in searches {
            found[search.group]?[search.index] = DoubleKey.double(search.prefix)
        }
    }

    /// The same of whole numbers below 2^53.
    func findIntegers(
        in groups: [[UInt8]]? = nil, _ asking: inout Asking
    ) throws(QueryError) -> [[UInt8]: [Int64]] {
        try find(in: groups, &asking).mapValues { $0.map { Int64(exactly: $0) ?? 0 } }
    }

    /// How many values there are by their upper bits, in order, by group.
    /// - Parameter shift: how many lower bits are left out
    private func counts(
        _ shift: Int, where condition: String, _ asking: inout Asking
    ) throws(QueryError) -> [[UInt8]: [Count]] {
        let rows = try asking.rows(
            """
            SELECT g, bitShiftRight(u, \(shift)) AS p, count() FROM \
            (SELECT g, \(DoubleKey.key(ofBits: "bits")) AS u FROM \
            (SELECT g, \(DoubleKey.bits(of: "v")) AS bits FROM (\(values)))) \
            WHERE \(condition) GROUP BY g, p
            """
        ) { (row) throws(RowFailure) in
            (
                group: try row.bytes(), prefix: try row.uint64(),
                count: UInt64(try row.count())
            )
        }
        var sums: [[UInt8]: [UInt64: UInt64]] = [:]
        for row in rows { sums[row.group, default: [:]][row.prefix, default: 0] &+= row.count }
        return sums.mapValues { sums in
            sums.map { Count(prefix: $0.key, count: $0.value) }.sorted { $0.prefix < $1.prefix }
        }
    }
}
