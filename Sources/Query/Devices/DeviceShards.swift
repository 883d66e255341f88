import Database
import Storage

/// Items of devices, split by device, so that many threads can work on them: a shard holds all
/// items of its devices, and one thread alone collects it.
struct DeviceShards<Item: DeviceKeyed>: ReportShare {
    /// There are 2^bits shards: so many that one fits into a processor's cache, and that no thread
    /// waits long for the last one.
    private static var bits: Int64 { 5 }

    /// How many shards there are.
    static var shardCount: Int { 1 << Int(bits) }

    /// Which device an item's is among those of its shard.
    static func row(of device: Int64) -> Int64 { device >> bits }

    /// The items by shard.
    private var own = [[Item]](repeating: [], count: 1 << Self.bits)
    /// The items of other threads.
    private var others: [Other] = []
    private var held: HeldBytes

    /// The items of another thread, which the threads that collect them translate.
    private struct Other {
        var items: [[Item]]
        /// The memory of the items, and of what `translate` captures.
        var held: [HeldBytes]
        /// Nil where items need no translation.
        var translate: (@Sendable (Item) -> Item)?
    }

    /// Without items.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// How many items there are.
    var count: Int {
        ([own] + others.map(\.items)).reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }

    @inline(__always)
    mutating func append(_ item: Item) {
        own[Int(truncatingIfNeeded: item.device & (1 << Self.bits - 1))].append(item, &held)
    }

    /// Calls `body` with all items that were appended here or merged without a translation.
    func forEach(_ body: (Item) -> Void) {
        for items in own { for item in items { body(item) } }
        for other in others where other.translate == nil {
            for items in other.items { for item in items { body(item) } }
        }
    }

    mutating func merge(_ other: DeviceShards) {
        others.append(Other(items: other.own, held: [other.held]))
        others += other.others
    }

    /// Adds the items of another thread.
    /// - Parameters:
    ///   - bytes: how many bytes `translate` captures
    ///   - translate: translates an item of the other into one of this, of the same device
    mutating func merge(
        _ other: DeviceShards, holding bytes: Int, _ translate: @escaping @Sendable (Item) -> Item
    ) {
        let room = HeldBytes(held.account, bytes)
        let first = others.endIndex
        merge(other)
        for index in first..<others.endIndex {
            others[index].held.append(room)
            let before = others[index].translate
            others[index].translate = { translate(before?($0) ?? $0) }
        }
    }

    /// Removes the items of other devices.
    mutating func keep(where isKept: (_ device: Int64) -> Bool) {
        for shard in own.indices { own[shard] = own[shard].filter { isKept($0.device) } }
        held.set(own.reduce(0) { $0 + $1.allocatedBytes })
        for index in others.indices {
            for shard in own.indices {
                others[index].items[shard] = others[index].items[shard].filter {
                    isKept($0.device)
                }
            }
            // The first is that of the items.
            others[index].held[0].set(others[index].items.reduce(0) { $0 + $1.allocatedBytes })
        }
    }

    /// Removes the items appended here that the item kept before them, of the same device, covers.
    /// - Parameters:
    ///   - precedes: the order of the items of one device
    ///   - isCovered: whether the first item makes the second useless
    ///   - check: called now and then; throws to end this
    mutating func thin(
        by precedes: (Item, Item) -> Bool, where isCovered: (Item, Item) -> Bool,
        _ check: RowOrder.Check
    ) throws(StorageError) {
        defer { held.set(own.reduce(0) { $0 + $1.allocatedBytes }) }
        for shard in own.indices {
            try Self.sort(&own[shard], by: precedes, check)
            var kept: [Item] = []
            for item in own[shard] {
                if let last = kept.last, last.device == item.device, isCovered(last, item) {
                    continue
                }
                kept.append(item)
            }
            own[shard] = kept
        }
    }

    /// Calls `body` with all items of each device, one device after the other, on as many threads
    /// as are free. Throws if the report has to end.
    /// - Parameters:
    ///   - empty: the share each thread begins with
    ///   - precedes: the order of the items of one device
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        by precedes: @escaping @Sendable (Item, Item) -> Bool,
        _ body: @escaping @Sendable (inout Share, ArraySlice<Item>) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        try reading.inParallel(own.count, empty) { (share, shard) throws(StorageError) in
            try forEachDevice(of: shard, reading, by: precedes) { (items) throws(StorageError) in
                try body(&share, items)
            }
        }
    }

    /// The same with a state for each shard, which outlives the items.
    func collect<State: Sendable>(
        into states: ShardStates<State>, _ reading: Reading,
        by precedes: @escaping @Sendable (Item, Item) -> Bool,
        _ body: @escaping @Sendable (inout State, ArraySlice<Item>) throws(StorageError) -> Void
    ) throws(StorageError) {
        _ = try reading.inParallel(own.count, NoShare()) { (_, shard) throws(StorageError) in
            try states.update(shard) { (state) throws(StorageError) in
                try forEachDevice(of: shard, reading, by: precedes) {
                    (items) throws(StorageError) in
                    try body(&state, items)
                }
            }
        }
    }

    private func forEachDevice(
        of shard: Int, _ reading: Reading, by precedes: (Item, Item) -> Bool,
        _ body: (ArraySlice<Item>) throws(StorageError) -> Void
    ) throws(StorageError) {
        let count = others.reduce(own[shard].count) { $0 + $1.items[shard].count }
        // Sorting holds them twice.
        let room = HeldBytes(held.account, count * MemoryLayout<Item>.stride * 2)
        defer { withExtendedLifetime(room) {} }
        var items = own[shard]
        if count > items.count { items.reserveCapacity(count) }
        for other in others {
            if let translate = other.translate {
                for item in other.items[shard] { items.append(translate(item)) }
            } else {
                items += other.items[shard]
            }
        }
        try Self.sort(&items, by: precedes) { () throws(StorageError) in try reading.check() }
        var start = items.startIndex
        while start < items.endIndex {
            let device = items[start].device
            let end = items[start...].firstIndex { $0.device != device } ?? items.endIndex
            try body(items[start..<end])
            start = end
        }
    }

    /// Sorts a shard by device.
    private static func sort(
        _ items: inout [Item], by precedes: (Item, Item) -> Bool, _ check: RowOrder.Check
    ) throws(StorageError) {
        // The last bits of their rows are the same.
        try RowOrder.sort(&items, by: { $0.device >> Self.bits }, then: precedes, check)
    }
}

/// An item of one device.
protocol DeviceKeyed: Sendable {
    /// The device's row.
    var device: Int64 { get }
}
