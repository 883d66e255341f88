import JSON

/// Where a configuration file stops being JSON, and what people have written there: comments, a comma too many, the
/// backslashes of a path.
struct ConfigurationFault: CustomStringConvertible {
    /// From 1.
    private let line: Int
    /// Characters, from 1.
    private let column: Int
    private let found: String

    init(_ error: Malformed, in bytes: [UInt8]) {
        let before = bytes.prefix(error.offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        // A character's later bytes are 10xxxxxx.
        column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
        found = Self.found(error, in: bytes)
    }

    var description: String { "line \(line), column \(column): \(found)" }

    private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    private static func found(_ error: Malformed, in bytes: [UInt8]) -> String {
        // What editors call Unicode begins with FF FE, or has a zero in each character.
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        if isWide || bytes.prefix(2).contains(0) { return "it is UTF-16; save the file as UTF-8" }
        switch error.rule {
        case .syntax, .trailing, .number, .elements: break
        case .truncated:
            return bytes.allSatisfy(space.contains)
                ? "the file is empty; {} has no settings"
                : "the file ends too soon; close what is open"
        case .byteOrderMark: return "another byte order mark; remove it"
        case .encoding: return "no UTF-8; save the file as UTF-8"
        case .control:
            return
                "a line's end, a tab or another control character in a text; close the text before it"
        case .escape:
            return #"a backslash before what it does not escape; write two, as in "C:\\data""#
        case .surrogate, .zero: return "an escape that stands for no character; remove it"
        case .duplicate:
            return "setting \(name(at: error.offset, in: bytes)) stands twice; leave one"
        case .depth: return "arrays and objects within too many others; settings need two levels"
        }
        return unexpected(at: error.offset, in: bytes, isAfterEnd: error.rule == .trailing)
    }

    /// A member's name as it is written, without its quotes.
    private static func name(at offset: Int, in bytes: [UInt8]) -> String {
        let name = bytes.dropFirst(offset + 1).prefix { $0 != UInt8(ascii: "\"") }.prefix(64)
        return Printable.text(String(decoding: name, as: UTF8.self))
    }

    /// What stands where JSON does not allow it.
    private static func unexpected(at offset: Int, in bytes: [UInt8], isAfterEnd: Bool) -> String {
        let rest = bytes.dropFirst(offset)
        let previous = bytes.prefix(offset).last { !space.contains($0) }
        switch rest.first {
        case UInt8(ascii: "#"), UInt8(ascii: "/"):
            return "a comment, which JSON does not have; remove it"
        case UInt8(ascii: "'"):
            return #"a single quote; texts stand in double ones, such as "info""#
        case UInt8(ascii: "}") where previous == UInt8(ascii: ","),
            UInt8(ascii: "]") where previous == UInt8(ascii: ","):
            return "nothing follows the comma before it; remove that"
        default: break
        }
        if isAfterEnd { return "something follows the object; remove it" }
        if rest.first == UInt8(ascii: "\""), let previous, !#"{[:,"#.utf8.contains(previous) {
            return "a comma is missing before it, or a colon after a name"
        }
        return "JSON does not allow this here; names and texts stand in double quotes, "
            + "members are divided by commas"
    }
}
