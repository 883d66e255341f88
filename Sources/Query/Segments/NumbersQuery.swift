import Database
import JSON
import Storage
import Synchronization
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

    init(
        _ scope: QueryScope, _ name: ByteText, _ key: ByteText, _ grouping: NumberGrouping?,
        _ interval: Interval?, _ reading: Reading
    ) {
        self.scope = scope
        (self.name, self.key, self.grouping) = (name, key, grouping)
        buckets = interval.map { scope.buckets(by: $0) }
        self.reading = reading
    }

    /// Numbers, and by what they are put together: values are numbered from 1, and 0 is none.
    private struct Found: ReportShare {
        var texts: TextCodes
        var resources: ResourceValues?
        var sums: NamedSums
        var numbers: NumberGroups
        var withoutNumber = 0

        mutating func merge(_ other: Found) throws(StorageError) {
            var names = try texts.merge(other.texts)
            if let values = other.resources { names = try resources?.merge(values) ?? [] }
            let groups = try sums.merge(other.sums, names: [0] + names.map { $0 + 1 })
            numbers.merge(other.numbers, groups: groups)
            withoutNumber += other.withoutNumber
        }

        var codes: TextCodes { resources?.codes ?? texts }
    }

    /// Throws if the report is to end, or what the database throws.
    func run(percents: [Int], limit: Int) throws(StorageError) -> NumberSpreads {
        var found = try find()
        try reading.check()
        let codes = found.codes
        let ranked = try found.sums.ranked(
            limit: grouping == nil ? .max : limit, reading
        ) { a, b in a == 0 ? b != 0 : b != 0 && codes.precedes(a - 1, b - 1) }
        let made = try spreads(of: ranked, found.numbers, percents) {
            $0 == 0 ? nil : codes[$0 - 1]
        }
        return NumberSpreads(
            spreads: grouping == nil ? everyBucket(made, percents) : made,
            withoutNumber: found.withoutNumber)
    }

    private func find() throws(StorageError) -> Found {
        var keys = [key]
        if case .attribute(let other) = grouping { keys.append(other) }
        let list = try AttributeList(scope, names: [name], attributes: keys, reading)
        let shared = try SharedDevices(of: scope.app.id, reading)
        var empty = Found(
            texts: TextCodes(reading.account), sums: NamedSums(by: buckets, reading.account),
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
            var last: (value: Int, day: Int, device: Int64, group: Int)?
            while try scan.next() {
                if segment != scan.segment {
                    segment = scan.segment
                    let (events, texts) = scan.counts(0)
                    tally.begin(events: events, texts: texts, &found.numbers)
                }
                guard let number = scan.value(0, { tally.index(of: $0) }), number >= 0 else {
                    found.withoutNumber &+= 1
                    continue
                }
                var value = 0
                if isByAttribute {
                    value = scan.value(1) { 1 + found.texts.code(ofScalar: $0) } ?? 0
                } else if isByResource {
                    value = try found.resources?.value(of: scan.resource).map { 1 + $0 } ?? 0
                }
                let device = scan.device
                if let last, last.value == value, last.day == scan.day, last.device == device {
                    found.sums.addAgain(1, at: last.group)
                    tally.add(number, to: last.group, &found.numbers)
                    continue
                }
                let group = found.sums.add(
                    1, to: value, day: scan.day, device: shared.contains(device) ? nil : device)
                guard let group else { continue }
                last = (value, scan.day, device, group)
                tally.add(number, to: group, &found.numbers)
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

    /// What one thread makes of numbers.
    private struct Made: ReportShare {
        var spreads: [Int: NumberSpread] = [:]

        mutating func merge(_ other: Made) { spreads.merge(other.spreads) { one, _ in one } }
    }

    private func spreads(
        of ranked: [NamedSums.Ranked], _ numbers: NumberGroups, _ percents: [Int],
        name: @escaping @Sendable (Int) -> ByteText?
    ) throws(StorageError) -> [NumberSpread] {
        // Few groups are large: these are gone through by all threads.
        var large: [Int: Moments] = [:]
        for (row, one) in ranked.enumerated() where one.sum.count > Self.largeCount {
            large[row] = try moments(of: one.index, numbers)
        }
        let known = large
        let taken = Atomic(0)
        let made = try reading.inParallel { () throws(StorageError) in
            var made = Made()
            while true {
                let row = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard row < ranked.count else { return made }
                let one = ranked[row]
                let moments = known[row] ?? Moments(of: one.index, numbers)
                made.spreads[row] = try spread(
                    of: one, moments, numbers, percents, name(one.sum.name))
            }
        }
        return ranked.indices.compactMap { made.spreads[$0] }
    }

    private static let largeCount = 1 << 17

    private func spread(
        of ranked: NamedSums.Ranked, _ moments: Moments, _ numbers: NumberGroups,
        _ percents: [Int], _ name: ByteText?
    ) throws(StorageError) -> NumberSpread {
        let count = ranked.sum.count
        var spread = NumberSpread(bucket: ranked.sum.bucket, name: name, ranks: percents.count)
        guard count > 0, moments.least <= moments.greatest else { return spread }
        (spread.count, spread.devices) = (count, ranked.devices)
        spread.sum = moments.sum.millionths()
        spread.mean = moments.sum.millionths(over: UInt64(count))
        (spread.least, spread.greatest) = (moments.least, moments.greatest)
        spread.ranks = try NumberRanks(numbers, of: ranked.index, reading).numbers(
            at: percents.map { ($0 * count + 99) / 100 }, in: moments.least...moments.greatest)
        return spread
    }

    /// The sum and the ends of a group's numbers: what takes no second look at them.
    private struct Moments: ReportShare {
        private(set) var sum = ExactSum()
        private(set) var (least, greatest) = (Double.infinity, -Double.infinity)

        init() {}

        /// - Parameter pool: of the numbers that one thread found; nil: of all
        init(of group: Int, _ numbers: NumberGroups, in pool: Int? = nil) {
            var (sum, least, greatest) = (sum, least, greatest)
            numbers.forEach(of: group, in: pool) { number, times in
                sum.add(number, times: times)
                least = min(least, number)
                greatest = max(greatest, number)
            }
            (self.sum, self.least, self.greatest) = (sum, least, greatest)
        }

        /// Sums are exact: in which order they are added changes nothing.
        mutating func merge(_ other: Moments) {
            sum.add(other.sum)
            least = min(least, other.least)
            greatest = max(greatest, other.greatest)
        }
    }

    private func moments(
        of group: Int, _ numbers: NumberGroups
    ) throws(StorageError) -> Moments {
        let taken = Atomic(0)
        return try reading.inParallel { () throws(StorageError) in
            var moments = Moments()
            while true {
                let pool = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard pool < numbers.poolCount else { return moments }
                moments.merge(Moments(of: group, numbers, in: pool))
            }
        }
    }
}
