/// JSON as RFC 8785 has it, with what docs/opentelemetry.md, What becomes what, adds to it.
enum CanonicalText {
    /// An attribute's value; nil where its text is not UTF-8 or has U+0000.
    static func value(_ value: AnyValue) -> [UInt8]? {
        guard let text = text(of: value) else { return list(value) }
        return text.isText ? string(text) : nil
    }

    /// What is a string after the mapping, without quotes, cut to 1,024 bytes; nil where it is none.
    static func text(of value: AnyValue) -> [UInt8]? { whole(value).map { cut($0, to: 1024) } }

    private static func whole(_ value: AnyValue) -> [UInt8]? {
        switch value {
        case .string(let text): text
        case .bytes(let bytes): Base64.encode(bytes)
        case .array, .kvlist: list(value)
        case .digits(let digits): Array(digits)
        case .int(let int) where int.magnitude >= 1 << 53: Array(String(int))
        case .double(let double) where !double.isFinite: Array(name(double))
        case .empty, .bool, .int, .double: nil
        }
    }

    /// The longest run of whole scalars within a limit; what is no UTF-8 before the last of them stays.
    static func cut(_ text: [UInt8], to limit: Int) -> [UInt8] {
        guard text.count > limit else { return text }
        var out = Array(text.prefix(limit))
        for (leads, length) in [(0xc2...0xdf, 2), (0xe0...0xef, 3), (0xf0...0xf4, 4)] {
            for back in 1..<length where leads.contains(Int(out[limit - back])) {
                let rest = out.suffix(back).dropFirst()
                guard rest.allSatisfy({ $0 >= 0x80 && $0 < 0xc0 }) else { continue }
                out.removeLast(back)
                return out
            }
        }
        return out
    }

    /// A value inside a list. Where a text within is broken, so is what it becomes.
    static func list(_ value: AnyValue) -> [UInt8] {
        switch value {
        case .empty: return Array("null")
        case .string(let text): return string(text)
        case .bool(let bool): return Array(bool ? "true" : "false")
        case .int(let int): return Array(String(int))
        case .digits(let digits): return Array(digits)
        case .double(let double):
            return double.isFinite ? Array(number(double)) : string(Array(name(double)))
        case .bytes(let bytes): return string(Base64.encode(bytes))
        case .array(let elements):
            return Array("[") + elements.map(list).joined(separator: Array(",")) + Array("]")
        case .kvlist(let members):
            let texts = members.settled.sorted { precedes($0.key, $1.key) }.map { member in
                string(member.key) + Array(":") + list(member.value)
            }
            return Array("{") + texts.joined(separator: Array(",")) + Array("}")
        }
    }

    /// By their UTF-16. Of keys that are not UTF-8 by their bytes, those from F0 on before EE and EF.
    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if left.isText, right.isText {
            let (left, right) = (
                String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)
            )
            return left.utf16.lexicographicallyPrecedes(right.utf16)
        }
        func rank(_ byte: UInt8) -> Int {
            byte == 0xee || byte == 0xef ? Int(byte) + 0x20 : Int(byte)
        }
        return left.map(rank).lexicographicallyPrecedes(right.map(rank))
    }

    /// RFC 8785 §3.2.2.2.
    static func string(_ text: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count + 16)
        out.append(UInt8(ascii: "\""))
        for byte in text { append(byte, to: &out) }
        out.append(UInt8(ascii: "\""))
        return out
    }

    /// Appends a byte of a string, escaped where it has to be; a zero is no text, so it has no escape.
    static func append(_ byte: UInt8, to out: inout [UInt8]) {
        switch byte {
        case 0x22, 0x5c: out += [0x5c, byte]
        case 8: out += "\\b".utf8
        case 9: out += "\\t".utf8
        case 10: out += "\\n".utf8
        case 12: out += "\\f".utf8
        case 13: out += "\\r".utf8
        case 1..<0x20: out += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
        default: out.append(byte)
        }
    }

    /// RFC 8785 §3.2.2.3: ECMAScript's `Number::toString` (ECMA-262 §6.1.6.1.20).
    static func number(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        // Swift writes the shortest digits too, in another form.
        let parts = value.magnitude.description.split(separator: "e")
        let halves = parts[0].split(separator: ".")
        var digits = String(halves[0]) + (halves.count > 1 ? halves[1] : "")
        var point = halves[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.hasPrefix("0") {
            digits.removeFirst()
            point -= 1
        }
        while digits.hasSuffix("0") { digits.removeLast() }
        let count = digits.count
        let text: String
        if count <= point, point <= 21 {
            text = digits + String(repeating: "0", count: point - count)
        } else if 0 < point, point <= 21 {
            text = digits.prefix(point) + "." + digits.dropFirst(point)
        } else if -6 < point, point <= 0 {
            text = "0." + String(repeating: "0", count: -point) + digits
        } else {
            let exponent = (point > 0 ? "e+" : "e-") + String((point - 1).magnitude)
            text = digits.prefix(1) + (count > 1 ? "." : "") + digits.dropFirst() + exponent
        }
        return (value < 0 ? "-" : "") + text
    }

    private static func name(_ value: Double) -> String {
        value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
    }
}
