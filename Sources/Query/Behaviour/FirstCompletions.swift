import Database
import Storage

/// The first completions: of each device and content the earliest one of a range, if the question
/// counts it (docs/reports.md, content). Earliest is by time, then by the bytes of `batch_id`, then
/// by index; the index cannot matter, since a batch has one resource. A completion before the range
/// can only take a credit away: see `index`.
struct FirstCompletions: Sendable {
    /// Device by device, each in order of contents.
    private var firsts: [First] = []
    private var held: HeldBytes
    /// The least row of a device.
    private var base: Int64 = 0
    /// The index of each device's first entry in `firsts`, by its distance from `base`; −1 without
    /// one.
    private var starts: [Int32] = []
    /// The same by device, where they lie too far apart for `starts`.
    private var farStarts: [Int64: Int] = [:]

    private struct First {
        let device: Int64
        let content: Int32
    }

    /// Bytes that a device takes in `farStarts`, about.
    private static let farBytes = 40

    /// What a thread finds of its devices.
    private struct Found: ReportShare {
        var firsts: [First] = []
        /// Equally early completions of which some count and some do not.
        var ties: [[Completion]] = []
        private var held: HeldBytes
        private let reading: Reading

        /// How many firsts are found between two checks whether the report has to end.
        private static let stride = 4096

        init(_ reading: Reading) {
            self.reading = reading
            held = HeldBytes(reading.account)
        }

        /// Adds a device. Throws if the report has to end.
        /// - Parameter all: its completions, in order of `Completion.precedes`
        mutating func add(_ all: ArraySlice<Completion>) throws(StorageError) {
            var start = all.startIndex
            while start < all.endIndex {
                if firsts.count % Self.stride == 0 { try reading.check() }
                let first = all[start]
                var ties = start..<start + 1
                var end = start + 1
                while end < all.endIndex, all[end].content == first.content {
                    if all[end].time == first.time { ties = start..<end + 1 }
                    end += 1
                }
                if all[ties].contains(where: { $0.counts != first.counts }) {
                    self.ties.append(Array(all[ties]))
                    held.add(ties.count * MemoryLayout<Completion>.stride)
                } else if first.counts {
                    firsts.append(First(device: first.device, content: first.content), &held)
                }
                start = end
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
        fillStarts()
    }

    /// How many first completions there are.
    var count: Int { firsts.count }

    /// The content of one of them, by its index.
    func content(_ index: Int) -> Int { Int(firsts[index].content) }

    /// The row of its device.
    func device(_ index: Int) -> Int64 { firsts[index].device }

    /// The index of the first completion of a content by a device, from which an earlier one takes
    /// the credit away; nil without one.
    func index(_ device: Int64, _ content: Int) -> Int? {
        guard var low = start(of: device) else { return nil }
        // The contents of a device are in order, and after them come those of other devices.
        let next = end(of: device, from: low)
        var high = next
        while low < high {
            let middle = (low + high) / 2
            if Int(firsts[middle].content) < content { low = middle + 1 } else { high = middle }
        }
        return low < next && Int(firsts[low].content) == content ? low : nil
    }

    /// The index after the firsts of a device: doubling steps find one after it, and bisection the
    /// end.
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

    private mutating func fillStarts() {
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
        for (index, first) in firsts.enumerated() where first.device != last {
            last = first.device
            if starts.isEmpty {
                farStarts[first.device] = index
                held.add(Self.farBytes)
            } else {
                starts[Int(first.device - base)] = Int32(index)
            }
        }
    }
}
