/// A set of devices, by their rows, that is filled once and counted once. Rows whose upper bits are the
/// same stand together: as a list while they are few, then as a bit each, so that a device takes four
/// octets at most and far less where there are many.
struct DeviceSet: Sendable {
    /// 65,536 neighbouring rows.
    private struct Block {
        /// Lower bits of rows, perhaps with repeats; not in use once there are bits.
        var list: [UInt16] = []
        var bits: [UInt64] = []

        /// From so many on bits take less than the list.
        private static let most = 4096

        /// What an array takes besides its elements.
        private static let header = 32

        /// - Returns: octets that it takes more, mostly none
        @inline(__always)
        mutating func insert(_ row: UInt16) -> Int {
            if !bits.isEmpty {
                bits[Int(row >> 6)] |= 1 << UInt64(row & 63)
            } else if list.last != row {
                let before = list.capacity
                list.append(row)
                if list.count >= Self.most { return spread() }
                let more = list.capacity &- before
                if more > 0 { return before == 0 ? more &* 2 &+ Self.header : more &* 2 }
            }
            return 0
        }

        /// - Returns: octets that it takes more
        mutating func formUnion(_ other: Block) -> Int {
            var more = 0
            if other.bits.isEmpty {
                for row in other.list { more += insert(row) }
            } else {
                if bits.isEmpty { more = spread() }
                for word in bits.indices { bits[word] |= other.bits[word] }
            }
            return more
        }

        private mutating func spread() -> Int {
            let before = list.allocatedBytes
            bits = [UInt64](repeating: 0, count: 1024)
            for row in list { bits[Int(row >> 6)] |= 1 << UInt64(row & 63) }
            list = []
            return bits.allocatedBytes - before
        }

        /// - Parameter scratch: 1024 words, all 0 before and afterwards
        func count(_ scratch: inout [UInt64]) -> Int {
            if !bits.isEmpty { return bits.reduce(0) { $0 + $1.nonzeroBitCount } }
            var count = 0
            for row in list {
                let bit: UInt64 = 1 << UInt64(row & 63)
                if scratch[Int(row >> 6)] & bit == 0 { count += 1 }
                scratch[Int(row >> 6)] |= bit
            }
            for row in list { scratch[Int(row >> 6)] = 0 }
            return count
        }
    }

    /// Upper bits of the rows in each block.
    private var keys: [Int64] = []
    private var blocks: [Block] = []
    /// Where the key that was asked for last is.
    private var latest = 0
    /// Where the block of a key is, beyond the first `few`.
    private var places: [Int64: Int] = [:]

    /// Bytes that it takes, about.
    private(set) var allocatedBytes = 0

    /// What a block takes besides its rows: its key and its place among the blocks, with room for more.
    private static let blockOctets = 96

    /// Among so many keys one is found by going through them.
    private static let few = 8

    /// Adds a device.
    @inline(__always)
    mutating func insert(_ device: Int64) {
        let key = device >> 16
        if latest >= keys.count || keys[latest] != key { find(key) }
        allocatedBytes &+= blocks[latest].insert(UInt16(truncatingIfNeeded: device))
    }

    /// Adds those of another.
    mutating func formUnion(_ other: DeviceSet) {
        for (key, block) in zip(other.keys, other.blocks) {
            find(key)
            allocatedBytes += blocks[latest].formUnion(block)
        }
    }

    private mutating func find(_ key: Int64) {
        if let place = keys.prefix(Self.few).firstIndex(of: key) ?? places[key] {
            latest = place
            return
        }
        latest = keys.count
        if latest >= Self.few { places[key] = latest }
        keys.append(key)
        blocks.append(Block())
        allocatedBytes += Self.blockOctets
    }

    /// How many different ones there are.
    var count: Int {
        var scratch = [UInt64](repeating: 0, count: 1024)
        return blocks.reduce(0) { $0 + $1.count(&scratch) }
    }
}
