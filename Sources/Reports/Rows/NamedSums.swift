/// Sums by name, and by bucket too where a question asks for buckets: what the reports that rank
/// names have in common. Names are numbered from 0. Its state is sums and sets: merging is adding and
/// union.
struct NamedSums: Sendable {
    /// What is known of a name, or of a name in a bucket.
    struct Sum: Sendable {
        /// The name's number.
        let name: Int
        /// The bucket's place; 0 where there are none.
        let bucket: Int
        /// The sum of amounts, saturated.
        var total: Int64 = 0
        /// Of how many.
        var count = 0
        /// Distinct devices, shared ones left out. Known at the end.
        var devices = 0

        fileprivate mutating func add(_ amount: Int64, _ count: Int) {
            self.count += count
            total = NamedSums.saturated(total, amount)
        }
    }

    private let buckets: Buckets?
    private var sums: [Sum] = []
    private var devices = DevicesByGroup()
    /// By name: the sum that was added to last; −1 before the first. A batch is mostly of one day.
    private var latest: [Int] = []
    /// By name and bucket, where there are buckets.
    private var places: [UInt64: Int] = [:]

    /// With a sum for each of `buckets`, where there are any.
    init(by buckets: Buckets?) {
        self.buckets = buckets
    }

    /// Adds an amount that is not below 0. `device` is nil for one that is many.
    mutating func add(_ amount: Int64, to name: Int, day: Int, device: Int64?) {
        guard let place = place(of: name, day: day) else { return }
        sums[place].add(amount, 1)
        if let device { devices.insert(device, into: place) }
    }

    /// Adds the sums of another, of the same buckets.
    /// - Parameter names: by the other's numbers of names, those here
    mutating func merge(_ other: NamedSums, names: [Int]) {
        let groups = other.sums.map { place(of: names[$0.name], bucket: $0.bucket) }
        for (sum, place) in zip(other.sums, groups) {
            sums[place].add(sum.total, sum.count)
        }
        devices.merge(other.devices, groups: groups)
    }

    /// The first `limit` names by their totals over all buckets, those that tie in the order of
    /// `precedes`: without buckets in this order, else by bucket and then so by the bucket's totals.
    mutating func ranked(limit: Int, by precedes: (Int, Int) -> Bool) -> [Sum] {
        for (place, count) in devices.counts(of: sums.count).enumerated() {
            sums[place].devices = count
        }
        var totals = [Int64](repeating: 0, count: latest.count)
        for sum in sums { totals[sum.name] = Self.saturated(totals[sum.name], sum.total) }
        let names = latest.indices.filter { latest[$0] >= 0 }.sorted { a, b in
            totals[a] != totals[b] ? totals[a] > totals[b] : precedes(a, b)
        }
        guard buckets != nil else { return names.prefix(limit).map { sums[latest[$0]] } }
        var isKept = [Bool](repeating: false, count: latest.count)
        for name in names.prefix(limit) { isKept[name] = true }
        return sums.filter { isKept[$0.name] }.sorted { a, b in
            if a.bucket != b.bucket { return a.bucket < b.bucket }
            return a.total != b.total ? a.total > b.total : precedes(a.name, b.name)
        }
    }

    private mutating func place(of name: Int, day: Int) -> Int? {
        guard let buckets else { return place(of: name, bucket: 0) }
        guard let bucket = buckets.place(ofDay: day) else { return nil }
        return place(of: name, bucket: bucket)
    }

    @inline(__always)
    private mutating func place(of name: Int, bucket: Int) -> Int {
        if name < latest.count {
            let last = latest[name]
            if last >= 0, sums[last].bucket == bucket { return last }
        }
        return find(name, bucket)
    }

    private mutating func find(_ name: Int, _ bucket: Int) -> Int {
        if name >= latest.count {
            latest += repeatElement(-1, count: max(name + 1 - latest.count, latest.count))
        }
        let last = latest[name]
        let key = UInt64(truncatingIfNeeded: name) << 16 | UInt64(truncatingIfNeeded: bucket)
        if last >= 0, let place = places[key] {
            latest[name] = place
            return place
        }
        sums.append(Sum(name: name, bucket: bucket))
        if buckets != nil { places[key] = sums.count - 1 }
        latest[name] = sums.count - 1
        return sums.count - 1
    }

    fileprivate static func saturated(_ a: Int64, _ b: Int64) -> Int64 {
        min(a.addingReportingOverflow(b).overflow ? Int64.max : a + b, Cell.greatest)
    }
}
