import Database
import Dispatch
import Storage
import Synchronization

/// What threads find of devices, split by device, so that many threads can go through it too: a shard has
/// all that was found of its devices, and is one thread's alone.
struct DeviceShards<Item: OfDevice>: ReportShare {
    /// So many that one fits into a processor's own memory, and that no thread waits long for the last.
    private static var bits: Int64 { 5 }

    /// By shard.
    private var own = [[Item]](repeating: [], count: 1 << Self.bits)
    /// The same of other threads.
    private var others: [Other] = []
    private var held: HeldBytes

    /// What another thread found, which is made into what stands here by the threads that collect it.
    private struct Other {
        let items: [[Item]]
        /// What these take, and what `translate` holds.
        var held: [HeldBytes]
        /// Nil where items are the same here.
        var translate: (@Sendable (Item) -> Item)?
    }

    /// Nothing yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// How many this one has of its own.
    var count: Int { own.reduce(0) { $0 + $1.count } }

    @inline(__always)
    mutating func append(_ item: Item) {
        own[Int(truncatingIfNeeded: item.device & (1 << Self.bits - 1))].append(item, &held)
    }

    mutating func merge(_ other: DeviceShards) {
        others.append(Other(items: other.own, held: [other.held]))
        others += other.others
    }

    /// Adds what another thread found.
    /// - Parameters:
    ///   - bytes: what `translate` holds
    ///   - translate: makes an item of it into one as they are here, of the same device
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

    /// Leaves out, of its own, what is of no more use since it follows what was kept last of its device.
    /// - Parameters:
    ///   - precedes: the order of what is of one device
    ///   - isCovered: whether the second is of no use beside the first
    ///   - check: called now and then, it ends this by throwing
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

    /// Has `body` called with all of a device, device after device, on as many threads as have time. Throws
    /// if the report is to end.
    /// - Parameters:
    ///   - empty: what each thread begins with
    ///   - precedes: the order of what is of one device
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        by precedes: @escaping @Sendable (Item, Item) -> Bool,
        _ body: @escaping @Sendable (inout Share, ArraySlice<Item>) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let taken = Atomic(0)
        return try reading.inParallel { () throws(StorageError) in
            var share = empty
            while true {
                let shard = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                guard shard < own.count else { return share }
                try reading.check()
                let begun = DispatchTime.now().uptimeNanoseconds
                defer { reading.pause(after: DispatchTime.now().uptimeNanoseconds &- begun) }
                let count = others.reduce(own[shard].count) { $0 + $1.items[shard].count }
                // And once more while they are sorted.
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
                try Self.sort(&items, by: precedes) { () throws(StorageError) in
                    try reading.check()
                }
                var start = items.startIndex
                while start < items.endIndex {
                    let device = items[start].device
                    let end = items[start...].firstIndex { $0.device != device } ?? items.endIndex
                    try body(&share, items[start..<end])
                    start = end
                }
            }
        }
    }

    /// Sorts a shard by device.
    private static func sort(
        _ items: inout [Item], by precedes: (Item, Item) -> Bool, _ check: RowOrder.Check
    ) throws(StorageError) {
        // Their last bits are the same.
        try RowOrder.sort(&items, by: { $0.device >> Self.bits }, then: precedes, check)
    }
}

/// What was found of a device.
protocol OfDevice: Sendable {
    /// The device's row.
    var device: Int64 { get }
}
