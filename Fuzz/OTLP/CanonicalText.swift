/// JSON as RFC 8785 has it, with what docs/opentelemetry.md, What becomes what, adds to it.
enum CanonicalText {
    /// An attribute's value; nil where a text within is not UTF-8 or has U+0000.
    /// - Parameter maxText: bytes to which a string is cut
    static func value(_ value: AnyValue, maxText: Int) -> [UInt8]? {
        text(of: value).map { string(cut($0, to: maxText)) } ?? list(value)
    }

    /// What is a string after the mapping, without quotes, not cut; nil where it is none or broken.
    static func text(of value: AnyValue) -> [UInt8]? {
        switch value {
        case .string(let text): text.isText ? text : nil
        case .bytes(let bytes): Base64.encode(bytes)
        case .array, .kvlist: list(value)
        case .int(let int) where int.magnitude >= 1 << 53: Array(String(int))
        case .double(let double) where !double.isFinite: Array(name(double))
        case .empty, .bool, .int, .double: nil
        }
    }

    /// The longest run of whole scalars within a limit.
    static func cut(_ text: [UInt8], to limit: Int) -> [UInt8] {
        var out: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let bytes = UTF8.encode(scalar).map { Array($0) } ?? []
            guard out.count + bytes.count <= limit else { break }
            out += bytes
        }
        return out
    }

    /// A value inside a list; nil where a text within is broken.
    static func list(_ value: AnyValue) -> [UInt8]? {
        switch value {
        case .empty: return Array("null")
        case .string(let text): return text.isText ? string(text) : nil
        case .bool(let bool): return Array(bool ? "true" : "false")
        case .int(let int): return Array(String(int))
        case .double(let double):
            return double.isFinite ? Array(number(double)) : string(Array(name(double)))
        case .bytes(let bytes): return string(Base64.encode(bytes))
        case .array(let elements):
            let texts = elements.map(list)
            guard !texts.contains(nil) else { return nil }
            return Array("[") + texts.compactMap(\.self).joined(separator: Array(",")) + Array("]")
        case .kvlist(let members):
            var texts: [(key: [UInt16], text: [UInt8])] = []
            for member in members.settled {
                guard member.key.isText, let value = list(member.value) else { return nil }
                texts.append(
                    (
                        Array(String(decoding: member.key, as: UTF8.self).utf16),
                        string(member.key) + Array(":") + value
                    ))
            }
            texts.sort { $0.key.lexicographicallyPrecedes($1.key) }
            return Array("{") + texts.map(\.text).joined(separator: Array(",")) + Array("}")
        }
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

    /// Appends a byte of a string, escaped where it has to be.
    static func append(_ byte: UInt8, to out: inout [UInt8]) {
        switch byte {
        case 0x22, 0x5c: out += [0x5c, byte]
        case 8: out += "\\b".utf8
        case 9: out += "\\t".utf8
        case 10: out += "\\n".utf8
        case 12: out += "\\f".utf8
        case 13: out += "\\r".utf8
        case 0..<0x20: out += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
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
