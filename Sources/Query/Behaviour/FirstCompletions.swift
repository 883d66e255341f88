import Database
import Storage

/// Who was the first to be credited with what: of each device and content the earliest completion of a
/// range, where a question counts it (docs/reports.md, content). Earliest is by time, then `batch_id`
/// octets, then index; the index cannot matter, since a batch has one resource. What lies before the range
/// can only take a credit away: see `place`.
struct FirstCompletions: Sendable {
    /// Those of a device stand together, in order of contents.
    private var firsts: [First] = []
    private var held: HeldBytes
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

    /// What a device takes in `farStarts`, about.
    private static let farOctets = 40

    /// What a thread finds of its devices.
    private struct Found: ReportShare {
        var firsts: [First] = []
        /// Equally early ones of which some count.
        var ties: [[Completion]] = []
        private var held: HeldBytes
        private let reading: Reading

        /// So many contents of a device are gone through between two looks whether the report is to end.
        private static let stride = 4096

        init(_ reading: Reading) {
            self.reading = reading
            held = HeldBytes(reading.account)
        }

        /// Throws if the report is to end.
        /// - Parameter all: those of a device, in order of `Completion.precedes`
        mutating func add(_ all: ArraySlice<Completion>) throws(StorageError) {
            var place = all.startIndex
            while place < all.endIndex {
                if firsts.count % Self.stride == 0 { try reading.check() }
                let first = all[place]
                var ties = place..<place + 1
                var end = place + 1
                while end < all.endIndex, all[end].content == first.content {
                    if all[end].time == first.time { ties = place..<end + 1 }
                    end += 1
                }
                if all[ties].contains(where: { $0.counts != first.counts }) {
                    self.ties.append(Array(all[ties]))
                    held.add(ties.count * MemoryLayout<Completion>.stride)
                } else if first.counts {
                    firsts.append(First(device: first.device, content: first.content), &held)
                }
                place = end
            }
        }

        mutating func merge(_ other: Found) {
            let more = other.firsts.count
            if firsts.count + more > firsts.capacity { firsts.grow(more, &held) }
            firsts += other.firsts
            ties += other.ties
            held.add(other.ties.joined().count * MemoryLayout<Completion>.stride)
        }
    }

    /// Throws what the database throws.
    init(_ completions: Completions, _ reading: Reading) throws(StorageError) {
        let found = try completions.shards.collect(
            Found(reading), reading, by: Completion.precedes
        ) { (found, all) throws(StorageError) in try found.add(all) }
        firsts = found.firsts
        held = HeldBytes(reading.account, firsts.allocatedBytes)
        let ids = try BatchIDs(reading)
        for tie in found.ties {
            guard let first = try ids.first(of: tie, batch: \.batch), first.counts else { continue }
            firsts.append(First(device: first.device, content: first.content))
        }
        if firsts.count > found.firsts.count {
            let check: RowOrder.Check = { () throws(StorageError) in try reading.check() }
            try RowOrder.sort(&firsts, by: \.device, then: { $0.content < $1.content }, check)
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
        guard var low = start(of: device) else { return nil }
        // Those of a device are in order, and behind them are only other devices'.
        let next = end(of: device, from: low)
        var high = next
        while low < high {
            let middle = (low + high) / 2
            if Int(firsts[middle].content) < content { low = middle + 1 } else { high = middle }
        }
        return low < next && Int(firsts[low].content) == content ? low : nil
    }

    /// Where the firsts of a device end: steps that double find a place behind it, and halving the end.
    private func end(of device: Int64, from start: Int) -> Int {
        var step = 1
        while start + step < firsts.count, firsts[start + step].device == device { step *= 2 }
        var (low, high) = (start + step / 2, min(start + step, firsts.count))
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle].device == device { low = middle + 1 } else { high = middle }
        }
        return low
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
            held.add(starts.allocatedBytes)
        }
        var last: Int64?
        for (place, first) in firsts.enumerated() where first.device != last {
            last = first.device
            if starts.isEmpty {
                farStarts[first.device] = place
                held.add(Self.farOctets)
            } else {
                starts[Int(first.device - base)] = Int32(place)
            }
        }
    }
}
