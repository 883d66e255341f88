import HTTP1
import Reports
import Sealing

/// The strong `ETag` of an answer (RFC 9110 §8.8.3; docs/reports.md, Caching by ETag).
struct EntityTag: Hashable, Sendable {
    /// With its quotes.
    let text: String

    /// Of an answer of that version (`AnswerVersion`), in that form, by this program.
    init(version: [UInt8], form: StaticString) {
        var bytes = Array("\(BuildInfo.version)\n\(form)\n".utf8)
        bytes += version
        text = "\"" + String(Hashing.sha256(bytes.span).hex.prefix(32)) + "\""
    }

    /// One that is known already, with its quotes.
    init(text: String) { self.text = text }

    /// As a field of an answer.
    var field: HeaderField { HeaderField("ETag", text) }

    /// Whether `If-None-Match`, all its lines, names this tag, weak or strong, or any by `*` (RFC 9110
    /// §13.1.2). What cannot be read names none.
    func isNamed(by fields: [String]) -> Bool {
        fields.contains { isNamed(in: Array($0.utf8)[...]) }
    }

    private func isNamed(in field: ArraySlice<UInt8>) -> Bool {
        func isBetween(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        var rest = field.drop(while: isBetween)
        if rest.first == UInt8(ascii: "*") {
            return rest.dropFirst().allSatisfy {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
            }
        }
        while !rest.isEmpty {
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return false }
            guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
                return false
            }
            if rest[...end].elementsEqual(text.utf8) { return true }
            rest = rest[(end + 1)...].drop(while: isBetween)
        }
        return false
    }
}
