/// Base64url without padding (RFC 4648 §5, RFC 7515 §2). Decoding is strict: no padding, no white
/// space, no stray bits, so that every value has one text.
package enum Base64URL {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    private static let none: UInt8 = 0xff
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: none, count: 256)
        alphabet.withUTF8Buffer { digits in
            for (value, digit) in digits.enumerated() { table[Int(digit)] = UInt8(value) }
        }
        return table
    }()

    package static func encode(_ bytes: Span<UInt8>) -> String {
        var out = [UInt8]()
        append(bytes, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends the text of the bytes.
    package static func append(_ bytes: Span<UInt8>, to out: inout [UInt8]) {
        out.reserveCapacity(out.count + digits(of: bytes.count))
        alphabet.withUTF8Buffer { digits in
            var at = 0
            while at < bytes.count {
                let left = bytes.count - at
                let bits =
                    Int(bytes[at]) << 16 | (left > 1 ? Int(bytes[at + 1]) << 8 : 0)
                    | (left > 2 ? Int(bytes[at + 2]) : 0)
                out.append(digits[bits >> 18])
                out.append(digits[bits >> 12 & 63])
                if left > 1 { out.append(digits[bits >> 6 & 63]) }
                if left > 2 { out.append(digits[bits & 63]) }
                at += 3
            }
        }
    }

    /// Nil where the text is not strictly base64url.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let count = decodedCount(text.count) else { return nil }
        var good = false
        let out = [UInt8](unsafeUninitializedCapacity: count) { out, made in
            good = decode(text, to: out)
            made = good ? count : 0
        }
        return good ? out : nil
    }

    /// Digits that so many bytes take.
    static func digits(of bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

    /// Bytes that a text of so many digits stands for; nil where there is no such text.
    static func decodedCount(_ digits: Int) -> Int? {
        digits % 4 == 1 ? nil : digits / 4 * 3 + [0, 0, 1, 2][digits % 4]
    }

    /// Decodes into room for `decodedCount` bytes; false where the text is not strictly base64url.
    static func decode(_ text: Span<UInt8>, to out: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        guard let count = decodedCount(text.count), out.count >= count else { return false }
        return values.withUnsafeBufferPointer { values in
            text.withUnsafeBufferPointer { text in
                var wrong: UInt8 = 0
                var from = 0
                var to = 0
                while text.count - from >= 4 {
                    let a = values[Int(text[from])]
                    let b = values[Int(text[from + 1])]
                    let c = values[Int(text[from + 2])]
                    let d = values[Int(text[from + 3])]
                    wrong |= a | b | c | d
                    out[to] = a << 2 | b >> 4
                    out[to + 1] = b << 4 | c >> 2
                    out[to + 2] = c << 6 | d
                    from += 4
                    to += 3
                }
                guard from < text.count else { return wrong & 0xc0 == 0 }
                let a = values[Int(text[from])]
                let b = values[Int(text[from + 1])]
                out[to] = a << 2 | b >> 4
                guard text.count - from == 3 else {
                    return (wrong | a | b) & 0xc0 == 0 && b & 0x0f == 0
                }
                let c = values[Int(text[from + 2])]
                out[to + 1] = b << 4 | c >> 2
                return (wrong | a | b | c) & 0xc0 == 0 && c & 0x03 == 0
            }
        }
    }
}
