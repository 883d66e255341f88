/// What a name looks like that a setting gives, as a regular expression.
package enum NameForm: String, Sendable {
    case node = "[a-z0-9][a-z0-9.-]{0,31}"
    case database = "[A-Za-z_][A-Za-z0-9_]{0,63}"

    /// Whether a text is such a name.
    func allows(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= longest else { return false }
        return isFirst(first) && text.utf8.dropFirst().allSatisfy(isNext)
    }

    private var longest: Int {
        switch self {
        case .node: 32
        case .database: 64
        }
    }

    private func isFirst(_ byte: UInt8) -> Bool {
        switch self {
        case .node: Self.isLower(byte) || Self.isDigit(byte)
        case .database: Self.isLower(byte | 0x20) || byte == UInt8(ascii: "_")
        }
    }

    private func isNext(_ byte: UInt8) -> Bool {
        switch self {
        case .node: isFirst(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        case .database: isFirst(byte) || Self.isDigit(byte)
        }
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
