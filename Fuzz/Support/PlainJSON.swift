/// A JSON value as it is read without haste.
package indirect enum Value: Equatable {
    case object([Member])
    case array([Value])
    case string([UInt8])
    /// As it stands in the text.
    case number([UInt8])
    case bool(Bool)
    case null

    package struct Member: Equatable {
        package var name: [UInt8]
        package var value: Value

        package init(name: [UInt8], value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// An integer that 64 bits hold: digits, with a minus or without.
    package var integer: Int64? {
        guard case .number(let text) = self,
            text.allSatisfy({ $0 == 0x2d || $0 >= 0x30 && $0 < 0x3a })
        else { return nil }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    /// How many values it is and has, and names of members.
    package var elements: Int {
        switch self {
        case .object(let members): members.reduce(1) { $0 + 1 + $1.value.elements }
        case .array(let values): values.reduce(1) { $0 + $1.elements }
        case .string, .number, .bool, .null: 1
        }
    }

    package subscript(name: String) -> Value? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == Array(name.utf8) }?.value
    }
}

/// I-JSON by the letter of RFC 8259 and RFC 7493, octet by octet: the scanner has to agree with it
/// on every text.
package struct PlainJSON {
    private let text: [UInt8]
    private let maxDepth: Int
    private let takesUnits: Bool
    private var at = 0

    /// The value of a whole text; nil if it is no I-JSON or lies deeper than that.
    /// - Parameter takesUnits: an escape may be U+0000, or half of a surrogate pair, which is then the three bytes that
    ///   UTF-8 would have for it
    package static func read(
        _ text: [UInt8], maxDepth: Int = 16, takesUnits: Bool = false
    ) -> Value? {
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        var reader = PlainJSON(text: text, maxDepth: maxDepth, takesUnits: takesUnits)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.space()
        return reader.at == text.count ? value : nil
    }

    private init(text: [UInt8], maxDepth: Int, takesUnits: Bool) {
        self.text = text
        self.maxDepth = maxDepth
        self.takesUnits = takesUnits
    }

    private var next: UInt8 { at < text.count ? text[at] : 0 }

    private mutating func space() {
        while [0x20, 0x09, 0x0a, 0x0d].contains(next) { at += 1 }
    }

    private mutating func take(_ word: String) -> Bool {
        guard text[at...].starts(with: word.utf8) else { return false }
        at += word.utf8.count
        return true
    }

    private mutating func value(depth: Int) -> Value? {
        space()
        if next == UInt8(ascii: "\"") { return string().map(Value.string) }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        if take("{") { return depth < maxDepth ? object(depth: depth + 1) : nil }
        if take("[") { return depth < maxDepth ? array(depth: depth + 1) : nil }
        return number()
    }

    private mutating func object(depth: Int) -> Value? {
        var members: [Value.Member] = []
        var names: Set<[UInt8]> = []
        space()
        if take("}") { return .object([]) }
        repeat {
            space()
            guard let name = string(), names.insert(name).inserted else { return nil }
            space()
            guard take(":"), let value = value(depth: depth) else { return nil }
            members.append(.init(name: name, value: value))
            space()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> Value? {
        var elements: [Value] = []
        space()
        if take("]") { return .array([]) }
        repeat {
            guard let value = value(depth: depth) else { return nil }
            elements.append(value)
            space()
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func number() -> Value? {
        let start = at
        _ = take("-")
        if !take("0"), !digits() { return nil }
        if take("."), !digits() { return nil }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if !digits() { return nil }
        }
        return .number(Array(text[start..<at]))
    }

    private mutating func digits() -> Bool {
        let start = at
        while next >= 0x30 && next < 0x3a { at += 1 }
        return at > start
    }

    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var out: [UInt8] = []
        while at < text.count {
            let octet = text[at]
            at += 1
            switch octet {
            case UInt8(ascii: "\""): return out
            case UInt8(ascii: "\\"):
                guard let bytes = escape() else { return nil }
                out += bytes
            case 0..<0x20: return nil
            default: out.append(octet)
            }
        }
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        let escapes: [(String, Character)] = [
            ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{8}"), ("f", "\u{c}"), ("n", "\n"),
            ("r", "\r"), ("t", "\t"),
        ]
        for (letter, character) in escapes where take(letter) {
            return Array(String(character).utf8)
        }
        guard take("u"), let first = unit(), takesUnits || first != 0 else { return nil }
        if let scalar = Unicode.Scalar(first) { return Array(String(scalar).utf8) }
        let next = at
        if first < 0xdc00, take("\\u"), let second = unit(), second >= 0xdc00, second < 0xe000 {
            let code = 0x10000 + (UInt32(first) - 0xd800) * 0x400 + UInt32(second) - 0xdc00
            return Unicode.Scalar(code).map { Array(String($0).utf8) }
        }
        at = next
        let (lead, tail) = (UInt8(first / 64 % 64), UInt8(first % 64))
        return takesUnits ? [0xed, 0x80 + lead, 0x80 + tail] : nil
    }

    private mutating func unit() -> UInt16? {
        let digits = text[at...].prefix(4)
        let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard digits.count == 4, isHex else { return nil }
        at += 4
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
