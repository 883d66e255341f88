import JSON

/// A JSON value of an answer, as a tree: answers are small and few.
enum AnswerValue: Equatable {
    case string(String)
    /// An integer that 64 bits hold.
    case integer(Int64)
    case bool(Bool)
    case null
    case object([String: AnswerValue])
    case array([AnswerValue])
    /// A number of another form: no answer has one that counts.
    case number

    /// Reads a whole I-JSON text; nil if it is none.
    init?(_ text: [UInt8]) {
        guard text.count <= Scanner.maxLength else { return nil }
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(text.span)
            let value = try Self.read(try scanner.value(text.span), text, &scanner)
            try scanner.finish(text.span)
            self = value
        } catch {
            return nil
        }
    }

    private static func read(
        _ token: Token, _ text: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) -> AnswerValue {
        switch token.kind {
        case .string, .escapedString:
            return token.text.map { .string($0.string(in: text)) } ?? .null
        case .integer: return .integer(token.value)
        case .hugeInteger, .decimal: return .number
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .null: return .null
        case .object:
            var members: [String: AnswerValue] = [:]
            while let name = try scanner.member(text.span) {
                members[name.text.string(in: text)] = try read(
                    try scanner.value(text.span), text, &scanner)
            }
            return .object(members)
        case .array:
            var elements: [AnswerValue] = []
            while try scanner.element(text.span) {
                elements.append(try read(try scanner.value(text.span), text, &scanner))
            }
            return .array(elements)
        }
    }

    /// An object's member; nil for everything else.
    subscript(name: String) -> AnswerValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }
}

extension Text {
    /// The string itself.
    func string(in text: [UInt8]) -> String {
        var scratch: [UInt8] = []
        let count = unescape(text.span, into: &scratch)
        return String(decoding: scratch[..<count], as: UTF8.self)
    }
}
