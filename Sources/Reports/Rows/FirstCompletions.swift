import Storage

/// Who was the first to be credited with what: of each device and content the earliest completion of a
/// range, where a question counts it (docs/reports.md, content). Earliest is by time, then `batch_id`
/// octets, then index; the index cannot matter, since a batch has one resource. What lies before the range
/// can only take a credit away: see `place`.
struct FirstCompletions: Sendable {
    /// By device.
    private var firsts: [(device: Int64, content: Int32)] = []
    /// The least device.
    private var base: Int64 = 0
    /// Where the firsts of a device begin, by how far it is from the least; one more at the end.
    private var starts: [Int32] = []
    /// The same where devices lie too far apart for that.
    private var ranges: [Int64: Range<Int>] = [:]

    /// Throws what the database throws.
    init(_ completions: consuming Completions, _ reading: Reading) throws(StorageError) {
        let all = completions.sorted()
        let ids = try BatchIDs(reading)
        var place = 0
        while place < all.count {
            var end = place + 1
            while end < all.count, all[end].isLike(all[place]) { end += 1 }
            let first = try Self.first(of: all[place..<end], ids)
            if let first, first.counts { firsts.append((first.device, first.content)) }
            place = end
        }
        index()
    }

    /// How many there are.
    var count: Int { firsts.count }

    /// The content of one of them.
    func content(_ place: Int) -> Int { Int(firsts[place].content) }

    /// Whether the device has any.
    @inline(__always)
    func has(_ device: Int64) -> Bool { !range(of: device).isEmpty }

    /// The place of the one that an earlier completion is earlier than.
    func place(_ device: Int64, _ content: Int) -> Int? {
        range(of: device).first { Int(firsts[$0].content) == content }
    }

    @inline(__always)
    private func range(of device: Int64) -> Range<Int> {
        if starts.isEmpty { return ranges[device] ?? 0..<0 }
        let (offset, isFar) = device.subtractingReportingOverflow(base)
        guard !isFar, offset >= 0, offset < Int64(starts.count &- 1) else { return 0..<0 }
        return Int(starts[Int(offset)])..<Int(starts[Int(offset) &+ 1])
    }

    private mutating func index() {
        guard let least = firsts.first?.device, let greatest = firsts.last?.device else { return }
        base = least
        let (span, isFar) = greatest.subtractingReportingOverflow(least)
        if !isFar, span < Int64(firsts.count) &* 16 + 65_536, firsts.count < Int(Int32.max) {
            starts = [Int32](repeating: 0, count: Int(span) + 2)
            for first in firsts { starts[Int(first.device - least) + 1] += 1 }
            for place in starts.indices.dropFirst() { starts[place] += starts[place - 1] }
            return
        }
        var begin = 0
        for place in firsts.indices
        where place + 1 == firsts.count
            || firsts[place + 1].device != firsts[place].device
        {
            ranges[firsts[place].device] = begin..<place + 1
            begin = place + 1
        }
    }

    /// Of equally early ones that of the least `batch_id`.
    private static func first(
        of ties: ArraySlice<Completion>, _ ids: borrowing BatchIDs
    ) throws(StorageError) -> Completion? {
        guard let first = ties.first, ties.contains(where: { $0.counts != first.counts }) else {
            return ties.first
        }
        return try ids.first(of: ties, batch: \.batch)
    }
}
