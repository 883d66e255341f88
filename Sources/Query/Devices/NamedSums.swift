import Database
import Storage
import TimeZones

/// Sums by name, and by bucket too where a question asks for buckets: all reports that rank names
/// use them. Names are numbered from 0. Sums merge by addition, their devices by union.
struct NamedSums: Sendable {
    /// The sum of a name, or of a name in a bucket.
    struct Sum: Sendable {
        private let nameNumber, bucketIndex: UInt32
        /// The sum of amounts, saturated.
        private(set) var total: Int64 = 0
        /// How many amounts were added.
        private(set) var count = 0

        fileprivate init(name: Int, bucket: Int) {
            nameNumber = UInt32(truncatingIfNeeded: name)
            bucketIndex = UInt32(truncatingIfNeeded: bucket)
        }

        /// The name's number.
        var name: Int { Int(nameNumber) }
        /// The bucket's index; 0 without buckets.
        var bucket: Int { Int(bucketIndex) }

        fileprivate mutating func add(_ amount: Int64, _ count: Int) {
            self.count += count
            total = NamedSums.saturated(total, amount)
        }
    }

    /// A sum that is shown, with its devices.
    struct Ranked {
        /// The sum's index among all of them.
        let index: Int
        let sum: Sum
        /// Distinct devices, shared ones left out.
        let devices: Int
    }

    private let buckets: Buckets?
    private var sums: [Sum] = []
    private var devices: DevicesByGroup
    /// By name: 1 + the index of the sum that was added to last; 0 before the first. A batch is
    /// mostly of one day.
    private var latest: [UInt32] = []
    /// The indices of sums by name and bucket, where there are buckets.
    private var indices = HashSlots(slots: 2)
    private var held: HeldBytes

    /// The greatest sum that is shown, 2^53−1 (docs/reports.md, first page).
    private static let greatest: Int64 = 9_007_199_254_740_991
    /// Bytes that a row of an answer takes, about, until it is text.
    static let rowBytes = 256
    /// How many sums are merged between two checks whether the report has to end.
    private static let stride = 4096

    /// Without names.
    /// - Parameters:
    ///   - buckets: each name gets a sum for each of them; nil: one sum
    ///   - account: of the report
    init(by buckets: Buckets?, _ account: ReportAccount = .unbounded) {
        self.buckets = buckets
        devices = DevicesByGroup(account)
        held = HeldBytes(account)
    }

    /// Adds an amount that is not below 0, or what so many amounts are together. `device` is nil for a
    /// shared one.
    /// - Returns: the sum's index among all of them; nil for a day that is in no bucket
    @inline(__always) @discardableResult
    mutating func add(
        _ amount: Int64, of count: Int = 1, to name: Int, day: Int, device: Int64?
    ) -> Int? {
        guard let index = index(of: name, day: day) else { return nil }
        sums[index].add(amount, count)
        if let device { devices.insert(device, into: index) }
        return index
    }

    /// Adds the sums of another, of the same buckets. Throws if the report has to end.
    /// - Parameter names: the numbers of names here, by the other's numbers
    /// - Returns: the indices of sums here, by the other's
    @discardableResult
    mutating func merge(_ other: NamedSums, names: [Int]) throws(StorageError) -> [Int] {
        var groups: [Int] = []
        groups.reserveCapacity(other.sums.count)
        for (number, sum) in other.sums.enumerated() {
            if number % Self.stride == 0 { try held.account.check() }
            groups.append(index(of: names[sum.name], bucket: sum.bucket))
        }
        for (sum, place) in zip(other.sums, groups) {
            sums[place].add(sum.total, sum.count)
        }
        try devices.merge(other.devices, groups: groups)
        return groups
    }

    /// The sums of the first `limit` names by their totals over all buckets, ties in the order of
    /// `precedes`. Without buckets they come in this order, else by bucket and within a bucket by
    /// its totals. Throws if the report has to end.
    /// - Parameter rowBytes: bytes that a row of the answer takes, about
    mutating func ranked(
        limit: Int, _ reading: Reading, rowBytes: Int = NamedSums.rowBytes,
        by precedes: (Int, Int) -> Bool
    ) throws(StorageError) -> [Ranked] {
        devices.fill()
        let shown =
            buckets == nil
            ? try first(limit, reading, by: precedes)
            : try firstByBucket(limit, reading, by: precedes)
        held.add(shown.count * rowBytes)
        try reading.check()
        return shown.map { Ranked(index: $0, sum: sums[$0], devices: devices.count(of: $0)) }
    }

    /// Indices of sums, where each name has one.
    private func first(
        _ limit: Int, _ reading: Reading, by precedes: (Int, Int) -> Bool
    ) throws(StorageError) -> [Int] {
        var ranking = Ranking(limit)
        try ranking.add(sums.indices, reading) { a, b in
            let (a, b) = (sums[a], sums[b])
            return a.total != b.total ? a.total > b.total : precedes(a.name, b.name)
        }
        return ranking.ranked
    }

    private func firstByBucket(
        _ limit: Int, _ reading: Reading, by precedes: (Int, Int) -> Bool
    ) throws(StorageError) -> [Int] {
        var totals = [Int64](repeating: -1, count: latest.count)
        let room = HeldBytes(held.account, totals.allocatedBytes)
        defer { withExtendedLifetime(room) {} }
        for sum in sums {
            totals[sum.name] = Self.saturated(max(totals[sum.name], 0), sum.total)
        }
        var ranking = Ranking(limit)
        try ranking.add(totals.indices, where: { totals[$0] >= 0 }, reading) { a, b in
            totals[a] != totals[b] ? totals[a] > totals[b] : precedes(a, b)
        }
        var isKept = [Bool](repeating: false, count: totals.count)
        for name in ranking.ranked { isKept[name] = true }
        var all = Ranking(.max)
        try all.add(sums.indices, where: { isKept[sums[$0].name] }, reading) { a, b in
            let (a, b) = (sums[a], sums[b])
            if a.bucket != b.bucket { return a.bucket < b.bucket }
            return a.total != b.total ? a.total > b.total : precedes(a.name, b.name)
        }
        return all.ranked
    }

    @inline(__always)
    private mutating func index(of name: Int, day: Int) -> Int? {
        var bucket = 0
        if buckets != nil {
            guard let ofDay = buckets?.index(ofDay: day) else { return nil }
            bucket = ofDay
        }
        return index(of: name, bucket: bucket)
    }

    @inline(__always)
    private mutating func index(of name: Int, bucket: Int) -> Int {
        if name < latest.count {
            let last = Int(latest[name]) &- 1
            if last >= 0, sums[last].bucket == bucket { return last }
        }
        return find(name, bucket)
    }

    @inline(never)
    private mutating func find(_ name: Int, _ bucket: Int) -> Int {
        latest.append(repeating: 0, name + 1 - latest.count, &held)
        let hash = NumberHash.hash(UInt64(name) << 16 | UInt64(bucket))
        if latest[name] > 0 {
            let known = indices.number(hash) { sums[$0].name == name && sums[$0].bucket == bucket }
            if let known {
                latest[name] = UInt32(known + 1)
                return known
            }
        }
        sums.append(Sum(name: name, bucket: bucket), &held)
        if buckets != nil {
            let before = indices.allocatedBytes
            indices.insert(sums.count - 1, hash)
            held.add(indices.allocatedBytes - before)
        }
        latest[name] = UInt32(sums.count)
        return sums.count - 1
    }

    /// The sum of what is not below 0, at most `greatest`.
    static func saturated(_ a: Int64, _ b: Int64) -> Int64 {
        min(a.addingReportingOverflow(b).overflow ? Int64.max : a + b, Self.greatest)
    }
}

/// Sums by text. Text n of `codes` is name n + 1 of `sums`; name 0 stands for no text.
struct TextSums: ReportShare {
    var codes: TextCodes
    var sums: NamedSums

    /// Without texts.
    /// - Parameters:
    ///   - buckets: each text gets a sum for each of them; nil: one sum
    ///   - account: of the report
    init(by buckets: Buckets?, _ account: ReportAccount = .unbounded) {
        codes = TextCodes(account)
        sums = NamedSums(by: buckets, account)
    }

    mutating func merge(_ other: TextSums) throws(StorageError) {
        try sums.merge(other.sums, names: [0] + codes.merge(other.codes).map { $0 + 1 })
    }
}
