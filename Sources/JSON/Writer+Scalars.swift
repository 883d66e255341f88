extension Writer {
    /// Appends a JSON string with its quotes.
    package static func append(_ text: String, to out: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0.span, to: &out) }
    }

    /// Appends a JSON string with its quotes; `utf8` is valid UTF-8.
    package static func append(_ utf8: Span<UInt8>, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var plain = 0
        for index in utf8.indices {
            let byte = utf8[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            utf8.extracting(plain..<index).withUnsafeBufferPointer { out += $0 }
            appendEscape(byte, to: &out)
            plain = index + 1
        }
        utf8.extracting(plain..<utf8.count).withUnsafeBufferPointer { out += $0 }
        out.append(UInt8(ascii: "\""))
    }

    /// Appends what RFC 8785 §3.2.2.2 writes for a byte that cannot stand raw.
    private static func appendEscape(_ byte: UInt8, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(byte)
        case 0x08: out.append(UInt8(ascii: "b"))
        case 0x09: out.append(UInt8(ascii: "t"))
        case 0x0a: out.append(UInt8(ascii: "n"))
        case 0x0c: out.append(UInt8(ascii: "f"))
        case 0x0d: out.append(UInt8(ascii: "r"))
        default:
            let low = byte & 15
            out += "u00".utf8
            out.append(UInt8(ascii: byte < 0x10 ? "0" : "1"))
            out.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }

    /// Appends an integer.
    package static func append(_ value: Int64, to out: inout [UInt8]) {
        append(value, decimals: 0, to: &out)
    }

    /// Appends a whole number of units of 10^-decimals, always with that many decimals.
    package static func append(_ units: Int64, decimals: Int, to out: inout [UInt8]) {
        // From the last digit to the first. 19 digits, a point and a sign, or as many decimals.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 22 + decimals) { buffer in
            var start = buffer.count
            func put(_ byte: UInt8) {
                start -= 1
                buffer[start] = byte
            }
            var rest = units.magnitude
            var written = 0
            repeat {
                put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
                written += 1
                if written == decimals { put(UInt8(ascii: ".")) }
            } while rest > 0 || written <= decimals && decimals > 0
            if units < 0 { put(UInt8(ascii: "-")) }
            out += buffer[start...]
        }
    }
}
