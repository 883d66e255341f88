import Engine
import Query

/// Which names a statement answers that groups by name: the end of it, after `GROUP BY n`. It has to have the
/// columns `n` and `total`, by which names are ranked.
enum NameSelection {
    /// The first of a shard.
    case first(Int)
    /// Those with so much in a shard.
    case atLeast(Int64)
    /// These.
    case named([ByteText])

    /// - Parameter condition: of all groups that count
    func sql(where condition: String = "count() > 0") -> String {
        switch self {
        case .first(let limit):
            " HAVING \(condition) ORDER BY total DESC, n LIMIT \(max(0, limit))"
        case .atLeast(let total): " HAVING \(condition) AND total >= \(total)"
        case .named(let names): " HAVING \(condition) AND n IN (\(SQL.list(names)))"
        }
    }
}

extension Asking {
    /// Bytes of names in a statement.
    private static let maxNames = 100_000

    /// The rows of all names that may be among the first ones by the sums of their totals: a row for each
    /// shard that has the name. No total may be below 0.
    ///
    /// Each shard answers its first names. If none has more of them than it was asked for, these are all.
    /// Otherwise their sums, as far as they are known, give a lower bound for the sum of the last name that is
    /// wanted; a name that reaches the bound over all shards has its share of it, bound ÷ shards, in one of
    /// them. So the candidates are the names with that share in some shard: they are found by it, and then
    /// asked for by name.
    /// - Parameters:
    ///   - limit: how many names are wanted
    ///   - name: of a row
    ///   - total: of a row
    ///   - statement: for a selection of names
    mutating func ranked<Row>(
        limit: Int, name: (Row) -> ByteText, total: (Row) -> Int64,
        _ statement: (NameSelection) -> String,
        _ row: (inout RowBinary.Reader) throws(RowFailure) -> Row
    ) throws(QueryError) -> [Row] {
        if isOneShard { return try rows(statement(.first(limit)), row) }
        let atOnce = max(limit, portions.names)
        let first = try rowsByShard(statement(.first(atOnce)), row)
        let cut = first.filter { $0.count >= atOnce }
        if cut.isEmpty || limit <= 0 { return first.flatMap { $0 } }
        var sums: [ByteText: Int64] = [:]
        for row in first.joined() {
            sums[name(row)] = NamedRows.saturated(sums[name(row)] ?? 0, total(row))
        }
        let greatest = sums.values.sorted(by: >)
        let bound = greatest.count < limit ? 0 : greatest[limit - 1]
        let part = max(0, bound) / Int64(first.count)
        var names = Set(first.joined().filter { total($0) >= part }.map(name))
        // A shard may have more of them than it has answered.
        if cut.contains(where: { $0.last.map(total) ?? 0 >= part }) {
            names.formUnion(try rows(statement(.atLeast(part)), row).map(name))
        }
        var all: [Row] = []
        for some in SQL.parts(Array(names), size: \.bytes.count, within: Self.maxNames) {
            all += try rows(statement(.named(some)), row)
        }
        return all
    }
}
