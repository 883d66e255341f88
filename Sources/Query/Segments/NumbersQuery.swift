import Database
import Storage
import TimeZones

/// How the numbers spread that events of one name have for one attribute. Its state is the numbers themselves, by
/// bucket and value, and sums: merging is putting them together. What is made of them does not depend on their
/// order: exact sums (`ExactSum`), and nearest ranks.
struct NumbersQuery {
    private let scope: QueryScope
    private let name, key: ByteText
    private let grouping: NumberGrouping?
    private let buckets: Buckets?
    private let reading: Reading
    /// All threads go through a group that has more numbers.
    var largeCount = 1 << 17

    init(
        _ scope: QueryScope, _ name: ByteText, _ key: ByteText, _ grouping: NumberGrouping?,
        _ interval: Interval?, _ reading: Reading
    ) {
        self.scope = scope
        (self.name, self.key, self.grouping) = (name, key, grouping)
        buckets = interval.map { scope.buckets(by: $0) }
        self.reading = reading
    }

    /// Numbers, and how many of them each value of `by` has.
    private struct Found: ReportShare {
        /// Of values of an attribute; without it all are of no text.
        var values: TextSums
        /// The values where they are those of resources.
        var resources: ResourceValues?
        var numbers: NumberGroups
        var withoutNumber = 0

        mutating func merge(_ other: Found) throws(StorageError) {
            var names = try values.codes.merge(other.values.codes)
            if let values = other.resources { names = try resources?.merge(values) ?? [] }
            let groups = try values.sums.merge(
                other.values.sums, names: [0] + names.map { $0 + 1 })
            try numbers.merge(other.numbers, groups: groups)
            withoutNumber += other.withoutNumber
        }

        var codes: TextCodes { resources?.codes ?? values.codes }
    }

    /// Bytes that a spread and its row of the answer take, about: five of its cells are texts.
    private static let rowBytes = 1280

    /// Throws what the database throws, and if the report has to end.
    func run(percents: [Int], limit: Int) throws(StorageError) -> NumberSpreads {
        var found = try find()
        try reading.check()
        let codes = found.codes
        let ranked = try found.values.sums.ranked(
            limit: grouping == nil ? .max : limit, reading, rowBytes: 0
        ) { codes.precedes(name: $0, $1) }
        let room = HeldBytes(reading.account, ranked.count * Self.rowBytes)
        try reading.check()
        let made = try spreads(of: ranked, found.numbers, percents) { codes.text(ofName: $0) }
        return NumberSpreads(
            spreads: grouping == nil ? everyBucket(made, percents) : made,
            withoutNumber: found.withoutNumber, room: room)
    }

    private func find() throws(StorageError) -> Found {
        var keys = [key]
        if case .attribute(let other) = grouping { keys.append(other) }
        let list = try AttributeList(scope, names: [name], attributes: keys, reading)
        let shared = try SharedDevices(of: scope.app.id, reading)
        var empty = Found(
            values: TextSums(by: buckets, reading.account),
            numbers: NumberGroups(reading.account))
        if case .resource(let dimension) = grouping {
            empty.resources = ResourceValues(
                dimension, try ResourceTexts(reading), reading.account)
        }
        let (none, isByAttribute) = (empty, keys.count > 1)
        let isByResource = empty.resources != nil
        return try reading.inParallel { () throws(StorageError) in
            var found = none
            var tally = NumberTally(reading.account)
            var scan = AttributeScan(list)
            var segment = 0
            while try scan.next() {
                if segment != scan.segment {
                    segment = scan.segment
                    tally.begin(scan.column(0), &found.numbers)
                }
                var run = scan.takeRun()
                let device = shared.contains(scan.device) ? nil : scan.device
                var value = 0
                if isByResource {
                    value = try found.resources?.value(of: scan.resource).map { 1 + $0 } ?? 0
                }
                while !run.isEmpty {
                    var same = run
                    if isByAttribute {
                        let first = run.lowerBound
                        value =
                            scan.value(1, at: first) {
                                1 + found.values.codes.code(ofScalar: $0)
                            } ?? 0
                        same = first..<scan.end(of: run, with: 1)
                    }
                    run = same.upperBound..<run.upperBound
                    let codes = scan.codes.span.extracting(scan.place(0, of: same))
                    let count = tally.count(codes)
                    found.withoutNumber &+= same.count &- count
                    if count == 0 { continue }
                    let group = found.values.sums.add(
                        Int64(count), of: count, to: value, day: scan.day, device: device)
                    if let group { tally.add(codes, to: group, &found.numbers) }
                }
            }
            tally.end(&found.numbers)
            return found
        }
    }

    /// A spread for each bucket, or one, where they are put together by nothing else.
    private func everyBucket(_ made: [NumberSpread], _ percents: [Int]) -> [NumberSpread] {
        var all = (0..<(buckets?.count ?? 1)).map {
            NumberSpread(bucket: $0, ranks: percents.count)
        }
        for spread in made { all[spread.bucket] = spread }
        return all
    }

    private func spreads(
        of ranked: [NamedSums.Ranked], _ numbers: NumberGroups, _ percents: [Int],
        name: @escaping @Sendable (Int) -> ByteText?
    ) throws(StorageError) -> [NumberSpread] {
        // Few groups are large: all threads go through each of these.
        var large: [Int: NumberSpread] = [:]
        for (row, one) in ranked.enumerated() where one.sum.count > largeCount {
            large[row] = try spread(of: one, numbers, true, percents, name(one.sum.name))
        }
        let known = large
        let none = Concatenated<(row: Int, spread: NumberSpread)>(reading.account)
        return try reading.inParallel(ranked.count, none) { (made, row) throws(StorageError) in
            let one = ranked[row]
            if let spread = known[row] { return made.append((row, spread)) }
            let spread = try spread(of: one, numbers, false, percents, name(one.sum.name))
            made.append((row, spread))
        }.all.sorted { $0.row < $1.row }.map(\.spread)
    }

    /// - Parameter isShared: all threads go through its numbers
    private func spread(
        of ranked: NamedSums.Ranked, _ numbers: NumberGroups, _ isShared: Bool,
        _ percents: [Int], _ name: ByteText?
    ) throws(StorageError) -> NumberSpread {
        let count = ranked.sum.count
        let sumAndRange = try numbers.added(to: SumAndRange(), isShared: isShared, reading) {
            (share, pool) throws(StorageError) in
            try share.add(numbers, of: ranked.index, in: pool, reading)
        }
        var spread = NumberSpread(bucket: ranked.sum.bucket, name: name, ranks: percents.count)
        guard count > 0, sumAndRange.least <= sumAndRange.greatest else { return spread }
        (spread.count, spread.devices) = (count, ranked.devices)
        spread.sum = sumAndRange.sum.millionths()
        spread.mean = sumAndRange.sum.millionths(over: UInt64(count))
        (spread.least, spread.greatest) = (sumAndRange.least, sumAndRange.greatest)
        let ranks = NumberRanks(numbers, of: ranked.index, isShared: isShared, reading)
        spread.ranks = try ranks.numbers(
            at: percents.map { NearestRanks.rank($0, of: count) },
            in: sumAndRange.least...sumAndRange.greatest, of: count)
        return spread
    }

    /// The sum and the ends of a group's numbers: what takes no second look at them.
    private struct SumAndRange: ReportShare {
        private(set) var sum = ExactSum()
        private(set) var (least, greatest) = (Double.infinity, -Double.infinity)

        /// Adds the numbers of a group.
        /// - Parameter pool: those that one thread found; nil: all
        mutating func add(
            _ numbers: NumberGroups, of group: Int, in pool: Int?, _ reading: Reading
        ) throws(StorageError) {
            try numbers.forEach(of: group, in: pool, reading) { number, times in
                sum.add(number, times: times)
                least = min(least, number)
                greatest = max(greatest, number)
            }
        }

        /// Sums are exact: in which order they are added changes nothing.
        mutating func merge(_ other: SumAndRange) {
            sum.add(other.sum)
            least = min(least, other.least)
            greatest = max(greatest, other.greatest)
        }
    }
}
