import Events
import Storage

/// Who was the first to be credited with what: of each device and content the earliest completion
/// ever, and whether a question counts it (docs/reports.md, content). Earliest is by time, then
/// `batch_id` octets, then index; the index cannot matter, since a batch has one resource.
///
/// Filled in this order: what may count, with `add`; then what only comes before it, with `addEarlier`,
/// so that memory does not grow with what lies before the range.
struct FirstCompletions: ~Copyable {
    private struct Key: Hashable {
        let device: Int64
        let content: Int
    }

    private struct First {
        let time: Int64
        let batch: Int64
        let counts: Bool
    }

    private var firsts: [Key: First] = [:]
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
        for (key, first) in firsts where first.counts { counts[key.content] += 1 }
        return counts
    }

    /// A completion, of a device that is not shared. Throws what the database throws.
    mutating func add(
        device: Int64, content: Int, time: Int64, batch: Int64, counts: Bool
    ) throws(StorageError) {
        let key = Key(device: device, content: content)
        let new = First(time: time, batch: batch, counts: counts)
        guard let old = firsts[key] else {
            firsts[key] = new
            return
        }
        if try precedes(new, old) { firsts[key] = new }
    }

    /// One that does not count, and matters only where another one would.
    mutating func addEarlier(
        device: Int64, content: Int, time: Int64, batch: Int64
    ) throws(StorageError) {
        let key = Key(device: device, content: content)
        guard let old = firsts[key], old.counts else { return }
        let new = First(time: time, batch: batch, counts: false)
        if try precedes(new, old) { firsts[key] = new }
    }

    private func precedes(_ new: First, _ old: First) throws(StorageError) -> Bool {
        if new.time != old.time { return new.time < old.time }
        if new.batch == old.batch { return false }
        let first = try id(of: new.batch)
        return first.lexicographicallyPrecedes(try id(of: old.batch))
    }

    private func id(of batch: Int64) throws(StorageError) -> [UInt8] {
        try batchID.bind(1, batch)
        defer { batchID.reset() }
        return try batchID.step() ? batchID.blob(0) : []
    }
}
