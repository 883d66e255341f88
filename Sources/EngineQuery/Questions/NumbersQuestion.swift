import Engine
import Query
import TimeZones

/// How the numbers spread that events of one name have for one attribute (docs/reports.md, values).
///
/// Sums are exact: the engine adds up mantissas by exponent, in halves that no sum of them can take beyond 64
/// bits, and `ExactSum` puts them together.
struct NumbersQuestion {
    private let source: Source
    private let scope: QueryScope
    private let name: ByteText
    private let attribute: AttributeValue
    private let grouping: NumberGrouping?
    private let interval: Interval?
    private let percents: [Int]
    private let limit: Int

    init(
        _ scope: QueryScope, _ name: ByteText, _ key: ByteText, _ grouping: NumberGrouping?,
        _ interval: Interval?, percents: [Int], limit: Int
    ) {
        source = Source(scope)
        (self.scope, self.name, attribute) = (scope, name, AttributeValue(key))
        (self.grouping, self.interval, self.percents) = (grouping, interval, percents)
        self.limit = grouping == nil ? .max : limit
    }

    /// Bytes that a spread and its row of the answer take, about: five of its cells are texts.
    private static let rowBytes = 1280
    /// Bits of the lower half of a mantissa.
    private static let lowBits = 27
    /// Bytes of names in a statement.
    private static let maxNames = 100_000
    /// Stands for an event without a number where exponents are.
    private static let none = 4095

    private struct Key: Hashable {
        let name: ByteText
        let bucket: Int
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> NumberSpreads {
        // The least, the greatest, and the percentiles if one shard can tell them.
        var figures = "[min(x), max(x)]"
        if asking.isOneShard, !percents.isEmpty {
            figures = "arrayConcat(\(figures), \(Percentiles.sql(percents, of: "x")))"
        }
        let names = try NamedRows(
            "SELECT n, b, toInt64(1) AS v, x, device, sh FROM (\(numbers)) WHERE is_number",
            figures: figures, buckets: buckets, limit: limit, &asking)
        let room = HeldBytes(
            asking.interruption.account,
            names.names.reduce(0) { $0 + $1.sums.count } * Self.rowBytes)
        try asking.check()
        let (sums, withoutNumber) = try sums(of: names, &asking)
        let ranks = try ranks(of: names, &asking)
        var spreads: [NumberSpread] = []
        for (row, name) in names.rows(by: interval != nil) {
            var spread = NumberSpread(
                bucket: row.bucket, name: text(of: name), ranks: percents.count)
            guard row.events > 0, row.figures.count >= 2 else { continue }
            let key = Key(name: name, bucket: row.bucket)
            let sum = sums[key] ?? ExactSum()
            (spread.count, spread.devices) = (row.events, row.devices)
            spread.sum = sum.millionths()
            spread.mean = sum.millionths(over: UInt64(row.events))
            (spread.least, spread.greatest) = (row.figures[0], row.figures[1])
            let found = ranks[Self.group(key)] ?? Array(row.figures.dropFirst(2))
            if found.count == percents.count { spread.ranks = found }
            spreads.append(spread)
        }
        return NumberSpreads(
            spreads: grouping == nil ? everyBucket(spreads) : spreads,
            withoutNumber: withoutNumber, room: room)
    }

    /// How many buckets there are.
    private var buckets: Int { scope.bucketCount(by: interval) }

    /// The events of the name: `n`, `b`, `x`, `is_number`, `device` and `sh`.
    private var numbers: String {
        var columns: [Source.EventColumn] = [.time, .name, .keys, .values, .numbers]
        var batch = ["device", source.isShared]
        var group = "''"
        switch grouping {
        case nil: group = "''"
        case .resource(let dimension):
            batch.append("concat('v', \(SQL.known(Source.column(dimension)))) AS dimension")
            group = "dimension"
        case .attribute(let key):
            let value = AttributeValue(key)
            for column in value.columns where !columns.contains(column) { columns.append(column) }
            group = value.name
        }
        return source.events(
            """
            \(group) AS n, \(source.bucket("e_time", by: interval)) AS b, \
            \(attribute.number) AS x, toUInt8(\(attribute.isNumber)) AS is_number, device, sh
            """, columns, batch: batch, named: [name])
    }

    private func text(of name: ByteText) -> ByteText? {
        grouping == nil ? nil : AttributeValue.text(of: name)
    }

    /// The exact sums, and how many events have no number.
    private func sums(
        of names: NamedRows, _ asking: inout Asking
    ) throws(QueryError) -> (sums: [Key: ExactSum], withoutNumber: Int) {
        let kept = Set(names.names.map(\.name))
        var which = "1"
        if kept.count >= limit {
            // There may be many others. Whatever the list leaves out is left out below too.
            let some = SQL.parts(Array(kept), size: \.bytes.count, within: Self.maxNames)
            if some.count == 1 { which = "NOT is_number OR n IN (\(SQL.list(some[0])))" }
        }
        let mantissa = "bitAnd(bits, \(1 << 52 - 1)) + if(e = 0, toUInt64(0), toUInt64(\(1 << 52)))"
        let rows = try asking.rows(
            """
            SELECT n, b, e, count(), sum(if(minus, -low, low)), sum(if(minus, -high, high)) FROM \
            (SELECT n, b, e, minus, toInt64(bitAnd(m, \(1 << Self.lowBits - 1))) AS low, \
            toInt64(bitShiftRight(m, \(Self.lowBits))) AS high FROM \
            (SELECT n, b, e, toUInt8(bits >= \(UInt64(1) << 63)) AS minus, \(mantissa) AS m FROM \
            (SELECT if(is_number, n, '') AS n, if(is_number, b, toInt64(0)) AS b, bits, \
            if(is_number, bitAnd(bitShiftRight(bits, 52), 2047), toUInt64(\(Self.none))) AS e FROM \
            (SELECT n, b, is_number, \(DoubleKey.bits(of: "x")) AS bits FROM (\(numbers)) \
            WHERE \(which))))) GROUP BY n, b, e
            """
        ) { (row) throws(RowFailure) in
            (
                key: Key(name: try row.text(), bucket: try row.index()),
                exponent: try row.count(), count: try row.count(), low: Int128(try row.int64()),
                high: Int128(try row.int64())
            )
        }
        var (sums, withoutNumber): ([Key: ExactSum], Int) = ([:], 0)
        for row in rows {
            if row.exponent == Self.none {
                withoutNumber +|= row.count
            } else if kept.contains(row.key.name) {
                let mantissas = row.high << Int128(Self.lowBits) + row.low
                sums[row.key, default: ExactSum()].add(
                    mantissas: mantissas, exponent: row.exponent)
            }
        }
        return (sums, withoutNumber)
    }

    /// The percentiles by group, where no shard can tell them by itself.
    private func ranks(
        of names: NamedRows, _ asking: inout Asking
    ) throws(QueryError) -> [[UInt8]: [Double]] {
        if asking.isOneShard { return [:] }
        let search = RankSearches(
            values: """
                SELECT concat(toString(b), ':', n) AS g, x AS v FROM (\(numbers)) WHERE is_number
                """, percents: percents)
        var groups: [[UInt8]] = []
        for name in names.names {
            for sum in name.sums {
                groups.append(Self.group(Key(name: name.name, bucket: sum.bucket)))
            }
        }
        return try search.find(in: groups, &asking)
    }

    private static func group(_ key: Key) -> [UInt8] {
        Array("\(key.bucket):".utf8) + key.name.bytes
    }

    /// A spread for each bucket, or one, where they are put together by nothing else.
    private func everyBucket(_ made: [NumberSpread]) -> [NumberSpread] {
        var all = (0..<buckets).map { NumberSpread(bucket: $0, ranks: percents.count) }
        for spread in made where all.indices.contains(spread.bucket) {
            all[spread.bucket] = spread
        }
        return all
    }
}
