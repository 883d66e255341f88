/// Keys of recent batches, found by device and digest. 32 bytes a batch: its key, and
/// two slots of four bytes in a table that is at most half full.
struct RecentBatches {
    /// In the order in which they were added.
    private(set) var keys: [RepeatKey] = []
    /// Indices in `keys`, from 1; 0 in a free slot. A batch is in the slot to which its key hashes, or in
    /// the next one after it that was free. The count is a power of two.
    private var table: [UInt32]

    /// - Parameter capacity: for how many there is room; the table grows for more, which takes long
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        table = Array(repeating: 0, count: size)
        keys.reserveCapacity(capacity)
    }

    mutating func append(_ key: RepeatKey) {
        keys.append(key)
        if keys.count * 2 > table.count {
            table = Array(repeating: 0, count: table.count * 2)
            for index in keys.indices { enter(index) }
        } else {
            enter(keys.count - 1)
        }
    }

    /// Batches of a device with a digest.
    func batches(of device: Int64, digest: Int64) -> [Int64] {
        var found: [Int64] = []
        var slot = start(device, digest)
        while table[slot] != 0 {
            let key = keys[Int(table[slot]) - 1]
            if key.digest == digest, key.device == device { found.append(key.batch) }
            slot = next(slot)
        }
        return found
    }

    /// Forgets what was added last.
    /// - Parameter count: how many stay
    mutating func truncate(to count: Int) {
        // The last one first, so that no later entry depends on the slot that is freed.
        while keys.count > count, let key = keys.last {
            var slot = start(key.device, key.digest)
            while Int(table[slot]) != keys.count { slot = next(slot) }
            table[slot] = 0
            keys.removeLast()
        }
    }

    /// Removes all, and keeps the memory.
    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        for slot in table.indices { table[slot] = 0 }
    }

    private mutating func enter(_ index: Int) {
        var slot = start(keys[index].device, keys[index].digest)
        while table[slot] != 0 { slot = next(slot) }
        table[slot] = UInt32(index + 1)
    }

    /// A secret: otherwise a client could send ids that all fall into one slot.
    private func start(_ device: Int64, _ digest: Int64) -> Int {
        var hasher = Hasher()
        hasher.combine(device)
        hasher.combine(digest)
        return hasher.finalize() & (table.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (table.count - 1) }
}
