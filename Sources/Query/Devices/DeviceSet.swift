/// A set of devices, by their rows, that is filled once and counted once. Rows with the same upper
/// bits share a block: a list at first, and one bit for each once the list is long, so that a
/// device takes four bytes at most and far less where there are many.
struct DeviceSet: Sendable {
    /// 65,536 neighbouring rows.
    private struct Block {
        /// Lower bits of rows, perhaps with repeats; unused once there are bits.
        var list: [UInt16] = []
        var bits: [UInt64] = []

        /// From this length on the bits take less memory than the list.
        private static let maxListLength = 4096

        /// Bytes that an array takes besides its elements.
        private static let header = 32

        /// - Returns: how many more bytes the block takes, mostly 0
        @inline(__always)
        mutating func insert(_ row: UInt16) -> Int {
            if !bits.isEmpty {
                bits[Int(row >> 6)] |= 1 << UInt64(row & 63)
            } else if list.last != row {
                let before = list.capacity
                list.append(row)
                if list.count >= Self.maxListLength { return spread() }
                let more = list.capacity &- before
                if more > 0 { return before == 0 ? more &* 2 &+ Self.header : more &* 2 }
            }
            return 0
        }

        /// - Returns: how many more bytes the block takes
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
    /// The index of the key that was looked up last.
    private var latest = 0
    /// The index of each key after the first `scanThreshold`.
    private var indices: [Int64: Int] = [:]

    /// Bytes that the set takes, about.
    private(set) var allocatedBytes = 0

    /// Bytes that a block takes besides its rows: its key and its index, with spare capacity.
    private static let blockBytes = 96

    /// How many keys are compared one by one before `indices` is asked.
    private static let scanThreshold = 8

    /// Adds a device.
    @inline(__always)
    mutating func insert(_ device: Int64) {
        let key = device >> 16
        if latest >= keys.count || keys[latest] != key { find(key) }
        allocatedBytes &+= blocks[latest].insert(UInt16(truncatingIfNeeded: device))
    }

    /// Adds the devices of another set.
    mutating func formUnion(_ other: DeviceSet) {
        for (key, block) in zip(other.keys, other.blocks) {
            find(key)
            allocatedBytes += blocks[latest].formUnion(block)
        }
    }

    private mutating func find(_ key: Int64) {
        if let index = keys.prefix(Self.scanThreshold).firstIndex(of: key) ?? indices[key] {
            latest = index
            return
        }
        latest = keys.count
        if latest >= Self.scanThreshold { indices[key] = latest }
        keys.append(key)
        blocks.append(Block())
        allocatedBytes += Self.blockBytes
    }

    /// How many different devices the set holds.
    var count: Int {
        var scratch = [UInt64](repeating: 0, count: 1024)
        return blocks.reduce(0) { $0 + $1.count(&scratch) }
    }
}
