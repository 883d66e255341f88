/// Base 16 (RFC 4648 §8).
package enum Hex {
    private static let digits: StaticString = "0123456789abcdef"

    /// Lower-case digits, two a byte.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { out in
            digits.withUTF8Buffer { digits in
                for index in bytes.indices {
                    let byte = Int(bytes[index])
                    out.initializeElement(at: index * 2, to: digits[byte >> 4])
                    out.initializeElement(at: index * 2 + 1, to: digits[byte & 15])
                }
            }
            return bytes.count * 2
        }
    }

    /// Digits of either case; nil where one is none or their number is odd.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var out = [UInt8]()
        out.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else {
                return nil
            }
            out.append(high << 4 | low)
        }
        return out
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
