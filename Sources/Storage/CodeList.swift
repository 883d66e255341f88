/// Row ids as a JSON array, as `batch.attribute_keys` has them: `[3,1,12]`, in that form alone.
package enum CodeList {
    /// Appends one; the array is closed with `end`.
    static func append(_ code: Int64, to text: inout [UInt8]) {
        text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
        text += code.description.utf8
    }

    /// Closes the array, if there is one.
    static func end(_ text: inout [UInt8]) {
        if !text.isEmpty { text.append(UInt8(ascii: "]")) }
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
        for place in 1..<end {
            let octet = text[place]
            if octet == UInt8(ascii: ",") {
                guard code > 0 else { return nil }
                codes.append(code)
                code = 0
                continue
            }
            let digit = Int64(octet) - 0x30
            // Never a nought in front, and never more than a row id is.
            guard (0...9).contains(digit), code > 0 || digit > 0, code < 1 << 53 else { return nil }
            code = code * 10 + digit
        }
        guard code > 0 else { return nil }
        codes.append(code)
        return codes
    }
}
