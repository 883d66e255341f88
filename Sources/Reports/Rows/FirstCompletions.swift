import Storage

/// Who was the first to be credited with what: of each device and content the earliest completion of a
/// range, where a question counts it (docs/reports.md, content). Earliest is by time, then `batch_id`
/// octets, then index; the index cannot matter, since a batch has one resource. What lies before the range
/// can only take a credit away: see `place`.
struct FirstCompletions: Sendable {
    /// Those of a device stand together.
    private var firsts: [First] = []
    /// The least device.
    private var base: Int64 = 0
    /// Where the firsts of a device begin, by how far it is from the least; −1 where it has none.
    private var starts: [Int32] = []
    /// The same where devices lie too far apart for that.
    private var farStarts: [Int64: Int] = [:]

    private struct First {
        let device: Int64
        let content: Int32
    }

    /// What a thread finds of its devices.
    private struct Found: ReportShare {
        var firsts: [First] = []
        /// Equally early ones of which some count.
        var ties: [[Completion]] = []

        /// - Parameter all: those of a device, in order of `Completion.precedes`
        mutating func add(_ all: ArraySlice<Completion>) {
            var place = all.startIndex
            while place < all.endIndex {
                let first = all[place]
                var ties = place..<place + 1
                var end = place + 1
                while end < all.endIndex, all[end].content == first.content {
                    if all[end].time == first.time { ties = place..<end + 1 }
                    end += 1
                }
                if all[ties].contains(where: { $0.counts != first.counts }) {
                    self.ties.append(Array(all[ties]))
                } else if first.counts {
                    firsts.append(First(device: first.device, content: first.content))
                }
                place = end
            }
        }

        mutating func merge(_ other: Found) {
            firsts += other.firsts
            ties += other.ties
        }
    }

    /// Throws what the database throws.
    init(_ completions: Completions, _ reading: Reading) throws(StorageError) {
        let found = try completions.shards.collect(
            Found(), reading, by: Completion.precedes, { $0.add($1) })
        firsts = found.firsts
        let ids = try BatchIDs(reading)
        for tie in found.ties {
            guard let first = try ids.first(of: tie, batch: \.batch), first.counts else { continue }
            firsts.append(First(device: first.device, content: first.content))
        }
        if firsts.count > found.firsts.count {
            RowOrder.sort(&firsts, by: \.device) { _, _ in false }
        }
        index()
    }

    /// How many there are.
    var count: Int { firsts.count }

    /// The content of one of them.
    func content(_ place: Int) -> Int { Int(firsts[place].content) }

    /// Whether the device has any.
    @inline(__always)
    func has(_ device: Int64) -> Bool { start(of: device) != nil }

    /// The place of the one that an earlier completion is earlier than.
    func place(_ device: Int64, _ content: Int) -> Int? {
        guard var place = start(of: device) else { return nil }
        while place < firsts.count, firsts[place].device == device {
            if Int(firsts[place].content) == content { return place }
            place += 1
        }
        return nil
    }

    @inline(__always)
    private func start(of device: Int64) -> Int? {
        if starts.isEmpty { return farStarts[device] }
        let (offset, isFar) = device.subtractingReportingOverflow(base)
        guard !isFar, offset >= 0, offset < Int64(starts.count) else { return nil }
        let start = starts[Int(offset)]
        return start < 0 ? nil : Int(start)
    }

    private mutating func index() {
        if firsts.isEmpty { return }
        var (least, greatest) = (Int64.max, Int64.min)
        for first in firsts {
            least = min(least, first.device)
            greatest = max(greatest, first.device)
        }
        let (span, isFar) = greatest.subtractingReportingOverflow(least)
        let isNear = !isFar && span < Int64(firsts.count) * 16 + 65_536
        if isNear, firsts.count < Int(Int32.max) {
            base = least
            starts = [Int32](repeating: -1, count: Int(span) + 1)
        }
        var last: Int64?
        for (place, first) in firsts.enumerated() where first.device != last {
            last = first.device
            if starts.isEmpty {
                farStarts[first.device] = place
            } else {
                starts[Int(first.device - base)] = Int32(place)
            }
        }
    }
}
