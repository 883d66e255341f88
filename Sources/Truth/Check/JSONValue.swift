import JSON

/// A JSON text as values, whole: numbers in their own characters, members in their order.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// As it was written.
    case number(String)
    case text(ByteText)
    case array([JSONValue])
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let value: JSONValue

        static func == (a: Member, b: Member) -> Bool {
            a.name.utf8.elementsEqual(b.name.utf8) && a.value == b.value
        }
    }

    /// Reads one text to its end.
    init(_ bytes: [UInt8]) throws(Malformed) {
        guard bytes.count <= Scanner.maxLength else {
            throw Malformed(offset: Scanner.maxLength, rule: .trailing)
        }
        var scanner = Scanner()
        try scanner.reset(bytes.span)
        self = try JSONValue.next(bytes, &scanner)
        try scanner.finish(bytes.span)
    }

    /// The scanner bounds the depth, so this recursion ends.
    private static func next(
        _ bytes: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) -> JSONValue {
        let token = try scanner.value(bytes.span)
        if let text = token.text { return .text(ByteText(text: string(text, bytes))) }
        switch token.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .array:
            var elements: [JSONValue] = []
            while try scanner.element(bytes.span) { elements.append(try next(bytes, &scanner)) }
            return .array(elements)
        case .object:
            var members: [Member] = []
            while let name = try scanner.member(bytes.span) {
                members.append(
                    Member(name: string(name.text, bytes), value: try next(bytes, &scanner)))
            }
            return .object(members)
        default:
            return .number(String(decoding: bytes[token.start..<token.end], as: UTF8.self))
        }
    }

    private static func string(_ text: Text, _ bytes: [UInt8]) -> String {
        guard text.hasEscapes else {
            return String(decoding: bytes[text.range], as: UTF8.self)
        }
        var room: [UInt8] = []
        let count = text.unescape(bytes.span, into: &room)
        return String(decoding: room[..<count], as: UTF8.self)
    }

    /// A member of an object; nil where it is absent or this is no object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The string; nil for other values.
    var string: String? {
        guard case .text(let text) = self else { return nil }
        return text.text
    }

    /// A whole number; nil for other values.
    var integer: Int64? {
        guard case .number(let number) = self else { return nil }
        return Int64(number)
    }

    /// The values of an array; nil for other values.
    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// As JSON.
    var json: String {
        switch self {
        case .null: return "null"
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .number(let number): return number
        case .text(let text):
            var bytes: [UInt8] = []
            Writer.append(text.text, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        case .array(let elements): return "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            let texts = members.map {
                JSONValue.text(ByteText(text: $0.name)).json + ":" + $0.value.json
            }
            return "{" + texts.joined(separator: ",") + "}"
        }
    }
}
