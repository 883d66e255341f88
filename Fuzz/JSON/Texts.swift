import FuzzSupport
import JSON

/// The scanner takes what is I-JSON and nothing else, walking or skipping; what the writer makes of
/// a value is read as that value again.
enum Texts {
    /// One whose hashes anybody could foresee, so that names collide.
    private static let weak = TextHash(first: 0, second: 0)

    static func check(_ text: [UInt8], _ value: Value?) {
        let walked = Result { () throws(Malformed) in try walk(text, .process) }
        let weakly = Result { () throws(Malformed) in try walk(text, weak) }
        let skipped = Result { () throws(Malformed) in try skip(text) }
        expect(walked == weakly, "\(walked) became \(weakly) with another hash")
        switch (walked, skipped) {
        case (.success(let walked), .success):
            expect(walked == value, "read as \(walked), is \(String(describing: value))")
            var writer = Writer()
            write(walked, &writer)
            let again = Result { () throws(Malformed) in try walk(writer.bytes, .process) }
            expect(again == .success(walked), "written and read again: \(again)")
            var twice = Writer()
            write(walked, &twice)
            expect(writer.bytes == twice.take(), "written in two ways")
        case (.failure(let walked), .failure(let skipped)):
            expect(walked == skipped, "walking found \(walked), skipping \(skipped)")
            expect((0...text.count).contains(walked.offset), "broken at \(walked.offset)")
            expect(value == nil, "refused for \(walked), is \(String(describing: value))")
        default: expect(false, "walking says \(walked), skipping \(skipped)")
        }
    }

    private static func skip(_ text: [UInt8]) throws(Malformed) {
        var scanner = Scanner()
        try scanner.reset(text.span)
        try scanner.skipValue(text.span)
        try scanner.finish(text.span)
    }

    private static func walk(_ text: [UInt8], _ hash: TextHash) throws(Malformed) -> Value {
        var scanner = Scanner(hash: hash)
        try scanner.reset(text.span)
        let value = try walk(text, &scanner)
        try scanner.finish(text.span)
        expect(scanner.depth == 0, "something is open at the end")
        return value
    }

    private static func walk(
        _ text: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) -> Value {
        let token = try scanner.value(text.span)
        expect(
            token.start <= token.end && token.end <= text.count && token.end <= scanner.position,
            "\(token)")
        switch token.kind {
        case .object:
            var members: [Value.Member] = []
            while let name = try scanner.member(text.span) {
                let octets = unescaped(name.text, text)
                expect(name.hash == scanner.hash.hash(octets.span, 0, octets.count), "a wrong hash")
                members.append(.init(name: octets, value: try walk(text, &scanner)))
            }
            return .object(members)
        case .array:
            var elements: [Value] = []
            while try scanner.element(text.span) { elements.append(try walk(text, &scanner)) }
            return .array(elements)
        case .string, .escapedString:
            return .string(token.text.map { unescaped($0, text) } ?? [])
        case .integer, .hugeInteger, .decimal:
            Numbers.check(token, text)
            return .number(Array(text[token.start..<token.end]))
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .null: return .null
        }
    }

    private static func unescaped(_ string: Text, _ text: [UInt8]) -> [UInt8] {
        var room: [UInt8] = []
        let count = string.unescape(text.span, into: &room)
        expect(count <= string.count, "longer without escapes")
        expect(string.hasEscapes || count == string.count, "another string without escapes")
        return Array(room[..<count])
    }

    private static func write(_ value: Value, _ writer: inout Writer) {
        switch value {
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.name(String(decoding: member.name, as: UTF8.self))
                write(member.value, &writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, &writer) }
            writer.endArray()
        case .string(let octets): writer.string(octets.span)
        case .number(let text): writer.raw(text.span)
        case .bool(let bool): writer.bool(bool)
        case .null: writer.null()
        }
    }
}

extension Result where Success == Value, Failure == Malformed {
    fileprivate static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.success(let left), .success(let right)): left == right
        case (.failure(let left), .failure(let right)): left == right
        default: false
        }
    }
}
