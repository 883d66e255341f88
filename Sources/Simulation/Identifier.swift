/// Names that a simulated device makes up, from bits that are given.
enum Identifier {
    private static let digits = Array("0123456789abcdef".utf8)

    /// A UUID of these bits (RFC 9562 §4): version and variant are set, the rest stays.
    static func uuid(version: UInt64, _ high: UInt64, _ low: UInt64) -> String {
        let first = high & ~0xF000 | version << 12
        let last = low & ~(0b11 << 62) | 0b10 << 62
        let text = hex(first) + hex(last)
        var out: [UInt8] = []
        out.reserveCapacity(36)
        for (index, digit) in text.enumerated() {
            if [8, 12, 16, 20].contains(index) { out.append(UInt8(ascii: "-")) }
            out.append(digit)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// A UUID of version 7 (RFC 9562 §5.7): made at `time` (milliseconds), the rest by chance.
    static func uuid7(time: Int64, _ random: inout SeededRandom) -> String {
        let high = UInt64(bitPattern: time) << 16 | random.next() & 0xFFFF
        return uuid(version: 7, high, random.next())
    }

    /// The id of a device's session.
    static func session(_ number: Int, of device: UInt64) -> String {
        String(decoding: hex(SeededRandom.mix(~device, UInt64(number))), as: UTF8.self)
    }

    private static func hex(_ word: UInt64) -> [UInt8] {
        stride(from: 60, through: 0, by: -4).map { digits[Int(word >> UInt64($0) & 15)] }
    }
}
