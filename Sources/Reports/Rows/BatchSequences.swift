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

    /// Adds a batch: its number, its device by row, when it arrived.
    mutating func add(_ sequence: Int64, of device: Int64, arrival: Int64) {
        entries.append(Entry(device: device, sequence: sequence, arrival: arrival))
    }

    /// Calls `body` with each hole: how many numbers are missing, and when its later neighbour
    /// arrived, the first time that its number did.
    mutating func forEachHole(_ body: (_ missing: Int64, _ arrival: Int64) -> Void) {
        RowOrder.sort(&entries, by: \.device) { a, b in
            a.sequence != b.sequence ? a.sequence < b.sequence : a.arrival < b.arrival
        }
        for (earlier, later) in zip(entries, entries.dropFirst())
        where earlier.device == later.device {
            let step = later.sequence - earlier.sequence
            if step > 1, step <= Self.greatestStep { body(step - 1, later.arrival) }
        }
    }
}
