import Database
import Storage

/// What a report collects of devices, split by device into shards, each so small that what it has of one portion of
/// items lies close together. All threads of a report fill the same shards: nothing is
/// merged afterwards, and memory does not grow with the threads.
///
///     let devices = ShardedDevices(empty)
///     … on each thread: var items = devices.writer(account); items.add(item); … items.finish()
///     let sums = try devices.collect(none, reading) { sums, shard in … }
final class ShardedDevices<Shard: DeviceShard>: Sendable {
    private let empty: Shard
    private let shards: ShardStates<Shard>

    /// There are 2^bits shards.
    private static var bits: Int64 { 7 }
    /// How many items a writer holds of a shard.
    private static var maxPending: Int { 128 }

    /// - Parameter empty: a shard without devices
    init(_ empty: Shard) {
        self.empty = empty
        shards = ShardStates(1 << Int(Self.bits), empty)
    }

    /// For one thread.
    func writer(_ account: ReportAccount) -> Writer { Writer(self, account) }

    /// Adds items of one shard. It looks at what it has of all of them first: these loads do not depend on each other,
    /// so their cache misses overlap, while in `Shard.add` each waits for a branch on the one before.
    @inline(never)
    private func add(_ items: [Shard.Item], to shard: Int) {
        shards.update(shard) { shard in
            var seen: Int64 = 0
            for item in items { seen ^= Int64(shard.entry(of: item.device >> Self.bits)) }
            for item in items {
                let number = shard.entry(of: item.device >> Self.bits) &- 1
                if number >= 0 { seen ^= shard.look(at: item, number) }
            }
            Self.use(seen)
            for item in items { shard.add(item, row: item.device >> Self.bits) }
        }
    }

    /// So that the looks are made: nobody uses what they find. A compiler that optimises this would leave them out,
    /// and nothing but a measurement would show it.
    @inline(never) @_optimize(none)
    private static func use(_ seen: Int64) {}

    /// Calls `body` with each shard, which is empty afterwards, on as many threads as are free.
    /// Throws what it throws, and if the report has to end.
    /// - Parameter none: the share each thread begins with
    func collect<Share: ReportShare>(
        _ none: Share, _ reading: Reading,
        _ body: @escaping @Sendable (inout Share, inout Shard) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        try reading.inParallel(shards.count, none) { (share, index) throws(StorageError) in
            var shard = self.shards.exchange(index, for: self.empty)
            try body(&share, &shard)
        }
    }

    /// Adds items from one thread: many of a shard at once. Not all are there before `finish`.
    struct Writer: Sendable {
        private let devices: ShardedDevices
        /// By shard.
        private var items: [[Shard.Item]]
        private var held: HeldBytes

        fileprivate init(_ devices: ShardedDevices, _ account: ReportAccount) {
            self.devices = devices
            items = [[Shard.Item]](repeating: [], count: devices.shards.count)
            held = HeldBytes(account)
        }

        @inline(__always)
        mutating func add(_ item: Shard.Item) {
            let shard = Int(truncatingIfNeeded: item.device & (1 << ShardedDevices.bits - 1))
            items[shard].append(item, &held)
            if items[shard].count == ShardedDevices.maxPending {
                devices.add(items[shard], to: shard)
                items[shard].removeAll(keepingCapacity: true)
            }
        }

        /// Adds what it still holds.
        mutating func finish() {
            for shard in items.indices where !items[shard].isEmpty {
                devices.add(items[shard], to: shard)
                items[shard] = []
            }
            held.set(0)
        }
    }
}

/// What one shard has collected of its devices.
protocol DeviceShard: Sendable {
    associatedtype Item: DeviceKeyed

    /// Adds an item. Items come in no order.
    /// - Parameter row: distinguishes the item's device from others of the shard; rows that are
    ///   near each other have it near each other too
    mutating func add(_ item: Item, row: Int64)

    /// The number + 1 of a device's row in the shard; 0 where it has none, and where it is far from all others.
    func entry(of row: Int64) -> Int

    /// Reads what `add` mostly waits for.
    /// - Parameter number: of the item's device
    /// - Returns: something that depends on what it has read
    func look(at item: Item, _ number: Int) -> Int64
}
