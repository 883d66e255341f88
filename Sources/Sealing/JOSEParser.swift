/// Steps through the text of a `JOSEObject`, which is known to be UTF-8.
struct JOSEParser {
    /// As deep as the server's other JSON may be.
    private static let deepest = 16

    private let text: [UInt8]
    private var at = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func whole() throws(SealError) -> JOSEObject {
        skipSpace()
        let object = try object(depth: 1)
        skipSpace()
        guard at == text.count else { throw .undecodable }
        return object
    }

    /// The octet that comes next, 0 at the end: it begins nothing.
    private var next: UInt8 { at < text.count ? text[at] : 0 }

    private mutating func skipSpace() {
        while isWhiteSpace(next) { at += 1 }
    }

    private mutating func take(_ octet: Character) -> Bool {
        guard at < text.count, text[at] == octet.asciiValue else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ octet: Character) throws(SealError) {
        guard take(octet) else { throw .undecodable }
    }

    private mutating func object(depth: Int) throws(SealError) -> JOSEObject {
        guard depth <= Self.deepest else { throw .undecodable }
        try expect("{")
        skipSpace()
        var members = [[UInt8]: JOSEObject.Value]()
        if take("}") { return JOSEObject(members: members) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            try expect(":")
            let value = try value(depth: depth)
            guard members.updateValue(value, forKey: name) == nil else { throw .undecodable }
        } while take(",")
        try expect("}")
        return JOSEObject(members: members)
    }

    /// A value and the white space on both sides of it.
    private mutating func value(depth: Int) throws(SealError) -> JOSEObject.Value {
        skipSpace()
        let value: JOSEObject.Value
        switch next {
        case UInt8(ascii: "\""): value = .text(try string())
        case UInt8(ascii: "{"): value = .object(try object(depth: depth + 1))
        case UInt8(ascii: "["):
            try array(depth: depth + 1)
            value = .other
        case UInt8(ascii: "t"): value = try literal("true")
        case UInt8(ascii: "f"): value = try literal("false")
        case UInt8(ascii: "n"): value = try literal("null")
        default:
            try number()
            value = .other
        }
        skipSpace()
        return value
    }

    private mutating func array(depth: Int) throws(SealError) {
        guard depth <= Self.deepest else { throw .undecodable }
        try expect("[")
        skipSpace()
        if take("]") { return }
        repeat { _ = try value(depth: depth) } while take(",")
        try expect("]")
    }

    private mutating func literal(_ word: String) throws(SealError) -> JOSEObject.Value {
        for octet in word.utf8 {
            guard next == octet else { throw .undecodable }
            at += 1
        }
        return .other
    }

    private mutating func number() throws(SealError) {
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(SealError) {
        guard isDigit(next) else { throw .undecodable }
        while isDigit(next) { at += 1 }
    }

    private func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
    }

    private mutating func string() throws(SealError) -> [UInt8] {
        try expect("\"")
        var out = [UInt8]()
        while at < text.count {
            let octet = text[at]
            at += 1
            switch octet {
            case UInt8(ascii: "\""): return out
            case UInt8(ascii: "\\"): try escape(into: &out)
            case 0..<0x20: throw .undecodable
            default: out.append(octet)
            }
        }
        throw .undecodable
    }

    private mutating func escape(into out: inout [UInt8]) throws(SealError) {
        let letter = next
        at += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(letter)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0c)
        case UInt8(ascii: "n"): out.append(0x0a)
        case UInt8(ascii: "r"): out.append(0x0d)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"): out += String(try scalar()).utf8
        default: throw .undecodable
        }
    }

    /// What `\u` stands for, with the second half of a surrogate pair (RFC 8259 §7).
    private mutating func scalar() throws(SealError) -> Character {
        var value = try fourDigits()
        if (0xd800..<0xdc00).contains(value) {
            try expect("\\")
            try expect("u")
            let low = try fourDigits()
            guard (0xdc00..<0xe000).contains(low) else { throw .undecodable }
            value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw .undecodable }
        return Character(scalar)
    }

    private mutating func fourDigits() throws(SealError) -> UInt32 {
        guard text.count - at >= 4, let octets = Hex.decode(text.span.extracting(at..<at + 4))
        else { throw .undecodable }
        at += 4
        return UInt32(octets[0]) << 8 | UInt32(octets[1])
    }
}
