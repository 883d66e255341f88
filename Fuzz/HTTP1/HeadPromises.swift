import FuzzSupport
import HTTP1

/// What holds of every head that is handed on.
enum HeadPromises {
    /// The head in words.
    static func describe(
        _ head: borrowing RequestHead, _ bytes: [UInt8], _ choices: Choices
    ) -> String {
        let limits = choices.limits
        expect(head.end <= bytes.count && head.end <= choices.headBound, "a head too large")
        expect(bytes[..<head.end].suffix(4) == [13, 10, 13, 10], "a head that does not end")
        expect(head.fields.count <= limits.headerFields, "\(head.fields.count) fields")
        let target = text(head.target, bytes, head.end)
        let path = text(head.path, bytes, head.end)
        let query = head.query.map { text($0, bytes, head.end) }
        expect(!target.isEmpty && target.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a bad target")
        expect(target.count <= limits.requestLineBytes, "a long target")
        var hosts = 0
        var words = "\(head.method) \(target) \(path) \(query ?? []) \(head.version) \(head.body)"
        for field in head.fields {
            let name = text(field.nameRange, bytes, head.end)
            let value = text(field.value, bytes, head.end)
            expect(!name.isEmpty, "an empty field name")
            expect(name.allSatisfy { CharacterClass.token.contains($0) }, "a bad field name")
            expect(value.allSatisfy { CharacterClass.isFieldContent($0) }, "a bad field value")
            expect(
                value.first != 0x20 && value.first != 9 && value.last != 0x20 && value.last != 9,
                "white space around a value")
            if field.name == .host { hosts += 1 }
            words += " \(name):\(value)"
        }
        expect(hosts == 1 || hosts == 0 && head.version == .http10, "\(hosts) Host fields")
        expect(
            head.count(of: .contentLength) == 0 || head.count(of: .transferEncoding) == 0,
            "a length in two ways")
        let prefersGzip = AcceptEncoding(head, bytes.span).prefersGzip
        return words + " \(head.keepsAlive) \(head.expectsContinue) \(prefersGzip)"
    }

    private static func text(_ range: Range<Int>, _ bytes: [UInt8], _ end: Int) -> [UInt8] {
        expect(range.upperBound <= end, "a range beyond the head")
        return Array(bytes[range])
    }
}
