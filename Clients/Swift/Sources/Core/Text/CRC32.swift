/// The CRC-32 of ISO-HDLC (RFC 1952 §8), which tells a damaged line from a whole one.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { (byte: UInt32) -> UInt32 in
        var value = byte
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        return value
    }

    /// The checksum of `bytes`.
    package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { bytes in
            var value = UInt32.max
            for index in 0..<bytes.count {
                value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ bytes[index])]
            }
            return ~value
        }
    }
}
