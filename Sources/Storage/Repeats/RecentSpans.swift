/// The times of recent batches whose records are known one by one, found by device. Some 50 bytes a batch.
struct RecentSpans {
    /// A batch, and from when to when its events were, in milliseconds.
    struct Times {
        let batch: Int64
        let first: Int64
        let last: Int64
    }

    private struct Entry {
        let device: Int64
        let span: Times
        /// Index in `entries` of the batch before it of the same device, from 1; 0: there is none.
        let older: UInt32
    }

    /// In the order of their batches.
    private var entries: [Entry] = []
    /// Indices in `entries` of each device's newest, from 1; 0 in a free slot. A device is in the slot to which it
    /// hashes, or in the next one after it that was free. The count is a power of two.
    private var table: [UInt32] = Array(repeating: 0, count: 16)

    mutating func append(_ span: Times, of device: Int64) {
        if entries.count * 2 >= table.count { grow() }
        let slot = slot(of: device)
        entries.append(Entry(device: device, span: span, older: table[slot]))
        table[slot] = UInt32(entries.count)
    }

    /// Batches of a device, the newest first.
    func forEach(of device: Int64, _ body: (Times) -> Void) {
        var index = table[slot(of: device)]
        while index > 0 {
            let entry = entries[Int(index) - 1]
            body(entry.span)
            index = entry.older
        }
    }

    /// No batch has any.
    var isEmpty: Bool { entries.isEmpty }

    /// Those of a batch; nil where it has none.
    func span(of batch: Int64) -> Times? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].span.batch < batch { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].span.batch == batch else { return nil }
        return entries[low].span
    }

    /// Forgets those of batches after that one.
    mutating func removeAll(after batch: Int64) {
        // The last one first, so that no later entry depends on the slot that is freed.
        while let last = entries.last, last.span.batch > batch {
            table[slot(of: last.device)] = last.older
            entries.removeLast()
        }
    }

    /// Removes all, and keeps the memory.
    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        for slot in table.indices { table[slot] = 0 }
    }

    private mutating func grow() {
        table = Array(repeating: 0, count: table.count * 2)
        for index in entries.indices { table[slot(of: entries[index].device)] = UInt32(index + 1) }
    }

    /// The slot of a device, or the free one that it would have.
    private func slot(of device: Int64) -> Int {
        // Rows are numbered by the server: nobody chooses what they hash to.
        let mixed = (UInt64(bitPattern: device) &* 0x9e37_79b9_7f4a_7c15) >> 24
        var slot = Int(truncatingIfNeeded: mixed) & (table.count - 1)
        while table[slot] > 0, entries[Int(table[slot]) - 1].device != device {
            slot = (slot + 1) & (table.count - 1)
        }
        return slot
    }
}
