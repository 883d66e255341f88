/// A device as it is stored: the first 16 bytes of a keyed hash over app and raw id
/// (docs/protocol.md, Device identity). The raw id cannot be had back from it.
package struct DeviceHash: Hashable, Sendable {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The other eight bytes, big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// From 16 bytes; nil if there are more or fewer.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: words.0, low: words.1)
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

    /// From 32 hexadecimal digits of either case; nil if it is anything else.
    package init?(hex: String) {
        var nibbles: [UInt8] = []
        for byte in hex.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): nibbles.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                nibbles.append(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                nibbles.append(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        guard nibbles.count == 32 else { return nil }
        self.init(stride(from: 0, to: 32, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
    }

    /// The 16 bytes, as they stand in the column `device.hash`.
    package var bytes: [UInt8] {
        (0..<16).map { index in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64(index % 8)))
        }
    }

    /// 32 lower-case hexadecimal digits: how reports name a device.
    package var hex: String {
        var digits: [UInt8] = []
        appendHex(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// Appends the digits of `hex`.
    package func appendHex(to out: inout [UInt8]) {
        for word in [high, low] {
            for index in 1...16 {
                let digit = UInt8(truncatingIfNeeded: word >> (64 - 4 * UInt64(index))) & 15
                out.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}

/// By their bytes, as the database orders them.
extension DeviceHash: Comparable {
    package static func < (left: DeviceHash, right: DeviceHash) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
