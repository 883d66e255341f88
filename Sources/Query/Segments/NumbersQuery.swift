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
        return try reading.inParallel { () throws(StorageError) in
            var found = none
            var tally = NumberTally(reading.account)
            var scan = AttributeScan(list)
            var segment = 0
            while try scan.next() {
                if segment != scan.segment {
                    segment = scan.segment
                    tally.begin(most: scan.texts(0), &found.numbers)
                }
                guard let number = scan.value(0, { tally.index(of: $0) }), number >= 0 else {
                    found.withoutNumber &+= 1
                    continue
                }
                var value = 0
                if isByAttribute {
                    value = scan.value(1) { 1 + found.texts.code(ofScalar: $0) } ?? 0
                } else if let resource = try found.resources?.value(of: scan.resource) {
                    value = 1 + resource
                }
                let device = scan.device
                let group = found.sums.add(
                    1, to: value, day: scan.day, device: shared.contains(device) ? nil : device)
                if let group { tally.add(number, to: group, &found.numbers) }
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
        let taken = Atomic(0)
        let made = try reading.inParallel { () throws(StorageError) in
            var made = Made()
            while true {
                let row = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard row < ranked.count else { return made }
                let one = ranked[row]
                made.spreads[row] = try spread(of: one, numbers, percents, name(one.sum.name))
            }
        }
        return ranked.indices.compactMap { made.spreads[$0] }
    }

    private func spread(
        of ranked: NamedSums.Ranked, _ numbers: NumberGroups, _ percents: [Int], _ name: ByteText?
    ) throws(StorageError) -> NumberSpread {
        let count = ranked.sum.count
        var spread = NumberSpread(bucket: ranked.sum.bucket, name: name, ranks: percents.count)
        (spread.count, spread.devices) = (count, ranked.devices)
        var sum = ExactSum()
        var (least, greatest) = (Double.infinity, -Double.infinity)
        numbers.forEach(of: ranked.index) { number, times in
            sum.add(number, times: times)
            least = min(least, number)
            greatest = max(greatest, number)
        }
        guard count > 0, least <= greatest else { return spread }
        spread.sum = sum.millionths()
        spread.mean = sum.millionths(over: UInt64(count))
        (spread.least, spread.greatest) = (least, greatest)
        spread.ranks = try NumberRanks(numbers, of: ranked.index, reading).numbers(
            at: percents.map { ($0 * count + 99) / 100 }, in: least...greatest)
        return spread
    }
}
