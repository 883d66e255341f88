import Client

/// Names that a simulated device makes up, from bits that are given.
enum Identifier {
    private static let digits = Array("0123456789abcdef".utf8)

    /// A UUID of version 7 (RFC 9562 §5.7): made at `time` (milliseconds), the rest by chance.
    static func uuid7(time: Int64, _ random: inout SeededRandom) -> String {
        let high = UInt64(bitPattern: time) << 16 | random.next() & 0xFFFF
        return RandomID.text(high, random.next(), version: 7)
    }

    /// The id of a device's session.
    static func session(_ number: Int, of device: UInt64) -> String {
        String(decoding: hex(SeededRandom.mix(~device, UInt64(number))), as: UTF8.self)
    }

    private static func hex(_ word: UInt64) -> [UInt8] {
        stride(from: 60, through: 0, by: -4).map { digits[Int(word >> UInt64($0) & 15)] }
    }
}
