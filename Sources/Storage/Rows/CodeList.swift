/// Row ids as a JSON array, as `batch.attribute_keys` has them: `[3,1,12]`, in that form alone.
package enum CodeList {
    /// Makes `text` the array of them, or empty where there are none.
    static func write(_ codes: [Int64], to text: inout [UInt8]) {
        text.removeAll(keepingCapacity: true)
        for code in codes {
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            append(code, to: &text)
        }
        if !text.isEmpty { text.append(UInt8(ascii: "]")) }
    }

    private static func append(_ code: Int64, to text: inout [UInt8]) {
        // A damaged index may give any number.
        if code < 0 { return text += code.description.utf8 }
        var unit: Int64 = 1
        while code / unit >= 10 { unit *= 10 }
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: code / unit % 10))
            unit /= 10
        }
    }

    /// The codes; none where the text is empty, nil where it is no such array.
    package static func parse(_ text: Span<UInt8>) -> [Int64]? {
        if text.isEmpty { return [] }
        let end = text.count - 1
        guard end >= 2, text[0] == UInt8(ascii: "["), text[end] == UInt8(ascii: "]") else {
            return nil
        }
        var codes: [Int64] = []
        var code: Int64 = 0
        for offset in 1..<end {
            let byte = text[offset]
            if byte == UInt8(ascii: ",") {
                guard code > 0 else { return nil }
                codes.append(code)
                code = 0
                continue
            }
            let digit = Int64(byte) - 0x30
            // No leading zero, and no number greater than a row id can be.
            guard (0...9).contains(digit), code > 0 || digit > 0, code < 1 << 53 else { return nil }
            code = code * 10 + digit
        }
        guard code > 0 else { return nil }
        codes.append(code)
        return codes
    }
}
