import FuzzSupport

/// The protobuf JSON mapping over a whole value (docs/opentelemetry.md).
extension Message {
    /// How deep objects and arrays may lie.
    static let maxDepth = 200

    /// What a request in JSON says; nil where it is malformed.
    init?(json text: [UInt8]) {
        guard let value = PlainJSON.read(text, maxDepth: Message.maxDepth, takesUnits: true),
            let members = value.members,
            let resources = list(members["resourceLogs"], ResourceLogs.init(json:))
        else { return nil }
        self.resources = resources
    }

    /// How many values and names of members a request in JSON has.
    static func elements(json text: [UInt8]) -> Int {
        PlainJSON.read(text, maxDepth: Message.maxDepth, takesUnits: true)?.elements ?? 0
    }
}

/// The elements of an array; none where it is absent, nil where it is something else, or an element
/// is.
private func list<T>(_ value: Value?, _ read: (Value) -> T?) -> [T]? {
    guard let value else { return [] }
    guard case .array(let elements) = value else { return nil }
    var out: [T] = []
    for element in elements {
        guard let read = read(element) else { return nil }
        out.append(read)
    }
    return out
}

extension Value {
    /// Those of an object, but for `null`; nil where it is none.
    fileprivate var members: [String: Value]? {
        guard case .object(let all) = self else { return nil }
        var out: [String: Value] = [:]
        for member in all where member.value != .null {
            let name = String(decoding: member.name, as: UTF8.self)
            // Swift holds canonically equivalent names for one; the known ones are ASCII.
            if name.utf8.allSatisfy({ $0 < 0x80 }) { out[name] = member.value }
        }
        return out
    }

    fileprivate var text: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The digits of an integer, as a string or a number, without zeros before them; with a minus, but for zero. In
    /// strings zeros may stand before a number.
    fileprivate var integer: String? {
        let text: [UInt8]
        switch self {
        case .string(let string): text = string
        case .number(let number): text = number
        default: return nil
        }
        let written = String(decoding: text, as: UTF8.self)
        guard
            let match = written.wholeMatch(
                of: /(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]{1,3}))?/)
        else { return nil }
        let size = match.output.5.flatMap { Int($0) } ?? 0
        let exponent = match.output.4 == "-" ? -size : size
        let (before, after) = (String(match.output.2), String(match.output.3 ?? ""))
        let digits = before + after
        let count = before.count + exponent
        guard digits.dropFirst(max(0, count)).allSatisfy({ $0 == "0" }) else { return nil }
        let whole =
            digits.prefix(max(0, count))
            + String(repeating: "0", count: max(0, count - digits.count))
        let trimmed = whole.drop { $0 == "0" }
        return trimmed.isEmpty ? "0" : String(match.output.1 + trimmed)
    }

    /// 0 where 64 bits do not hold it.
    fileprivate var unsigned: UInt64? { integer.map { UInt64($0) ?? 0 } }

    fileprivate var double: Double? {
        var number = self
        if case .string(let text) = self {
            switch String(decoding: text, as: UTF8.self) {
            case "NaN": return .nan
            case "Infinity": return .infinity
            case "-Infinity": return -.infinity
            default:
                // No white space around it: a value that fills the whole text.
                guard let read = PlainJSON.read(text), read == .number(text) else { return nil }
                number = read
            }
        }
        guard case .number(let text) = number else { return nil }
        let written = String(decoding: text, as: UTF8.self)
        guard !written.contains(/[eE][+-]?[0-9]{4}/) else { return nil }
        return Double(written)
    }

    /// Base64 or base64url, padded or not.
    fileprivate var decoded: [UInt8]? {
        guard let text else { return nil }
        var digits = text[...]
        if text.count % 4 == 0, digits.last == UInt8(ascii: "=") {
            digits.removeLast()
            if digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var out: [UInt8] = []
        var (word, bits) = (0, 0)
        for digit in digits {
            guard
                let value = Base64.standard.firstIndex(of: digit)
                    ?? Base64.url.firstIndex(of: digit)
            else { return nil }
            (word, bits) = (word << 6 | value, bits + 6)
            guard bits >= 8 else { continue }
            bits -= 8
            out.append(UInt8(truncatingIfNeeded: word >> bits))
            word &= 1 << bits - 1
        }
        return out
    }
}

extension ResourceLogs {
    fileprivate init?(json value: Value) {
        guard let members = value.members else { return nil }
        if let resource = members["resource"] {
            guard let members = resource.members,
                let attributes = list(members["attributes"], Attribute.init(json:))
            else { return nil }
            self.attributes = attributes
        }
        let scopes = list(members["scopeLogs"]) { scope in
            scope.members.flatMap { list($0["logRecords"], Record.init(json:)) }
        }
        guard let scopes else { return nil }
        self.scopes = scopes
    }
}

extension Record {
    fileprivate init?(json value: Value) {
        guard let members = value.members,
            let attributes = list(members["attributes"], Attribute.init(json:)),
            let name = (members["eventName"] ?? .string([])).text,
            let time = (members["timeUnixNano"] ?? .string([0x30])).unsigned,
            let observedTime = (members["observedTimeUnixNano"] ?? .string([0x30])).unsigned
        else { return nil }
        self.init(name: name, time: time, observedTime: observedTime, attributes: attributes)
    }
}

extension Attribute {
    fileprivate init?(json value: Value) {
        guard let members = value.members, let key = (members["key"] ?? .string([])).text else {
            return nil
        }
        self.key = key
        guard let value = members["value"] else { return }
        guard let read = AnyValue(json: value) else { return nil }
        self.value = read
    }
}

extension AnyValue {
    fileprivate init?(json value: Value) {
        guard case .object(let members) = value else { return nil }
        self = .empty
        for member in members where member.value != .null {
            switch String(decoding: member.name, as: UTF8.self) {
            case "stringValue":
                guard let text = member.value.text else { return nil }
                self = .string(text)
            case "boolValue":
                guard case .bool(let bool) = member.value else { return nil }
                self = .bool(bool)
            case "intValue":
                guard let digits = member.value.integer else { return nil }
                self = Int64(digits).map { .int($0) } ?? .digits(digits)
            case "doubleValue":
                guard let double = member.value.double else { return nil }
                self = .double(double)
            case "bytesValue":
                guard let bytes = member.value.decoded else { return nil }
                self = .bytes(bytes)
            case "arrayValue":
                guard let members = member.value.members,
                    let elements = list(members["values"], AnyValue.init(json:))
                else { return nil }
                self = .array(elements)
            case "kvlistValue":
                guard let members = member.value.members,
                    let pairs = list(members["values"], Attribute.init(json:))
                else { return nil }
                self = .kvlist(pairs)
            default: break
            }
        }
    }
}

/// RFC 4648 §4 and §5.
enum Base64 {
    private static let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    static let standard = Array((common + "+/").utf8)
    static let url = Array((common + "-_").utf8)

    static func encode(_ bytes: [UInt8], _ digits: [UInt8] = standard, pads: Bool = true) -> [UInt8]
    {
        var out: [UInt8] = []
        var (word, bits) = (0, 0)
        for byte in bytes {
            (word, bits) = ((word & 63) << 8 | Int(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                out.append(digits[word >> bits & 63])
            }
        }
        if bits > 0 { out.append(digits[word << (6 - bits) & 63]) }
        while pads, out.count % 4 != 0 { out.append(UInt8(ascii: "=")) }
        return out
    }
}
