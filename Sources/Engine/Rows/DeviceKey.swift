/// A device's hash as the engine's tables have it, `FixedString(16)`.
package struct DeviceKey: Hashable, Sendable {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The other eight bytes, big-endian.
    package let low: UInt64

    /// From its halves.
    package init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// From 16 bytes; nil if there are more or fewer.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            high = high << 8 | UInt64(bytes[index])
            low = low << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: high, low: low)
    }

    /// The shard on which all rows of the device are, from 0.
    /// - Parameter count: how many shards there are, at least 1
    package func shard(of count: Int) -> Int {
        count > 1 ? Int(high % UInt64(count)) : 0
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        [high, low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    func append(to row: inout RowBinary.Writer) {
        row.uint64(high.byteSwapped)
        row.uint64(low.byteSwapped)
    }
}
