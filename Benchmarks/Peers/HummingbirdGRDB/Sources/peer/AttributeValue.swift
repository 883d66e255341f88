/// A scalar: what an attribute may be.
enum AttributeValue: Decodable, Sendable {
    case string(String), integer(Int64), number(Double), boolean(Bool)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    /// The string; nil where it is something else.
    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// Appends it as JSON (RFC 8259).
    func write(to text: inout String) {
        switch self {
        case .integer(let value): text += String(value)
        case .number(let value): text += String(value)
        case .boolean(let value): text += value ? "true" : "false"
        case .string(let value):
            text += "\""
            if value.utf8.contains(where: Self.isEscaped) {
                for scalar in value.unicodeScalars { text += Self.escaped(scalar) }
            } else {
                text += value
            }
            text += "\""
        }
    }

    private static func isEscaped(_ octet: UInt8) -> Bool {
        octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case ..<" ": "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
        default: String(scalar)
        }
    }
}
