import Events
import Storage

/// Who was the first to be credited with what: of each device and content the earliest completion
/// ever, and whether a question counts it (docs/reports.md, content). Earliest is by time, then
/// `batch_id` octets, then index; the index cannot matter, since a batch has one resource.
///
/// Filled in this order: what may count, with `add`; then what only comes before it, with `addEarlier`,
/// so that memory does not grow with what lies before the range.
struct FirstCompletions: ~Copyable {
    /// 32 octets: each look at one is a line of the processor's cache.
    private struct First {
        let device: Int64
        var time: Int64
        var batch: Int64
        let content: Int32
        var counts: Bool
    }

    private var firsts: [First] = []
    private var slots = HashSlots(slots: 1 << 12)
    /// A bit for each device of one that counts, by the lower bits of its row: whoever has none needs no
    /// look.
    private var devices = [UInt64](repeating: 0, count: 1 << 14)
    private let batchID: Statement

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        batchID = try reading.prepare("SELECT batch_id FROM batch WHERE id = ?1")
    }

    /// Whether there is none.
    var isEmpty: Bool { firsts.isEmpty }

    /// How many count, by content.
    func credited(of contents: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: contents)
        for first in firsts where first.counts { counts[Int(first.content)] += 1 }
        return counts
    }

    /// A completion, of a device that is not shared. Throws what the database throws.
    mutating func add(
        device: Int64, content: Int, time: Int64, batch: Int64, counts: Bool
    ) throws(StorageError) {
        let hash = Self.hash(device, content)
        if counts { devices[Self.word(of: device)] |= 1 << UInt64(device & 63) }
        guard let place = place(of: device, content, hash) else {
            slots.insert(firsts.count, hash)
            firsts.append(
                First(
                    device: device, time: time, batch: batch,
                    content: Int32(truncatingIfNeeded: content), counts: counts))
            return
        }
        try improve(place, time: time, batch: batch, counts: counts)
    }

    /// False only where no earlier one of the device matters.
    func mayMatter(_ device: Int64) -> Bool {
        devices[Self.word(of: device)] >> UInt64(device & 63) & 1 == 1
    }

    /// One that does not count, and matters only where another one would.
    mutating func addEarlier(
        device: Int64, content: Int, time: Int64, batch: Int64
    ) throws(StorageError) {
        guard let place = place(of: device, content, Self.hash(device, content)),
            firsts[place].counts
        else { return }
        try improve(place, time: time, batch: batch, counts: false)
    }

    @inline(__always)
    private static func word(of device: Int64) -> Int { Int(device >> 6 & 0x3fff) }

    @inline(__always)
    private static func hash(_ device: Int64, _ content: Int) -> UInt64 {
        NumberHash.hash(UInt64(bitPattern: device), UInt64(truncatingIfNeeded: content))
    }

    @inline(__always)
    private func place(of device: Int64, _ content: Int, _ hash: UInt64) -> Int? {
        let content = Int32(truncatingIfNeeded: content)
        return slots.number(hash) { firsts[$0].content == content && firsts[$0].device == device }
    }

    /// Puts one in the place of another where it comes before that.
    private mutating func improve(
        _ place: Int, time: Int64, batch: Int64, counts: Bool
    ) throws(StorageError) {
        let old = firsts[place]
        if time > old.time || (time == old.time && batch == old.batch) { return }
        if time == old.time {
            let first = try id(of: batch)
            guard first.lexicographicallyPrecedes(try id(of: old.batch)) else { return }
        }
        firsts[place].time = time
        firsts[place].batch = batch
        firsts[place].counts = counts
    }

    private func id(of batch: Int64) throws(StorageError) -> [UInt8] {
        try batchID.bind(1, batch)
        defer { batchID.reset() }
        return try batchID.step() ? batchID.blob(0) : []
    }
}
