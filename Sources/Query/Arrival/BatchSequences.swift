import Database
import Storage

/// The `sequence` of each batch of each device, and the holes between neighbours: batches that the
/// device has sent, or will, but that are not here (docs/reports.md, quality).
struct BatchSequences {
    /// A greater step is a new count, not a hole.
    static let greatestStep: Int64 = 10_000

    private struct Entry {
        let device: Int64
        let sequence: Int64
        let arrival: Int64
    }

    private var entries: [Entry] = []
    private var held: HeldBytes

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Adds a batch: its number, its device by row, when it arrived.
    mutating func add(_ sequence: Int64, of device: Int64, arrival: Int64) {
        entries.append(Entry(device: device, sequence: sequence, arrival: arrival), &held)
    }

    /// Calls `body` with each hole: how many numbers are missing, and when its later neighbour
    /// arrived, the first time that its number did.
    /// Throws if the report is to end.
    mutating func forEachHole(
        _ reading: Reading, _ body: (_ missing: Int64, _ arrival: Int64) -> Void
    ) throws(StorageError) {
        // Once more while they are sorted.
        let room = HeldBytes(held.account, entries.allocatedBytes)
        defer { withExtendedLifetime(room) {} }
        try RowOrder.sort(
            &entries, by: \.device,
            then: { a, b in
                a.sequence != b.sequence ? a.sequence < b.sequence : a.arrival < b.arrival
            }
        ) { () throws(StorageError) in try reading.check() }
        for (earlier, later) in zip(entries, entries.dropFirst())
        where earlier.device == later.device {
            let step = later.sequence - earlier.sequence
            if step > 1, step <= Self.greatestStep { body(step - 1, later.arrival) }
        }
    }
}
