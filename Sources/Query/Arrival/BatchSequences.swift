import Database
import Storage

/// The `sequence` of each batch of each device, and the holes between neighbours: batches that the
/// device has sent, or will send, but that have not arrived (docs/reports.md, quality).
struct BatchSequences {
    /// A greater step is no hole: the device has begun to count from the start.
    static let greatestStep: Int64 = 10_000

    private struct Entry {
        let device: Int64
        let sequence: Int64
        let arrival: Int64
    }

    private var entries: [Entry] = []
    private var held: HeldBytes

    /// Without batches.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// Adds a batch: its `sequence`, the row of its device, and when it arrived.
    mutating func add(_ sequence: Int64, of device: Int64, arrival: Int64) {
        entries.append(Entry(device: device, sequence: sequence, arrival: arrival), &held)
    }

    /// Calls `body` with each hole: how many numbers are missing, and when the batch after it
    /// arrived for the first time. Throws if the report has to end.
    mutating func forEachHole(
        _ reading: Reading, _ body: (_ missing: Int64, _ arrival: Int64) -> Void
    ) throws(StorageError) {
        // Sorting holds them twice.
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
