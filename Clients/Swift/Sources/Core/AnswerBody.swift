import JSON

/// The members of an answer that a client looks at.
struct AnswerBody {
    var batchID: String?
    var accepted: Int64?
    var rejected: Int64?
    var isDryRun = false
    var code: String?
    var detail: String?
    var rejections: [Answer.Verdict] = []

    /// Reads a whole I-JSON object; nil if it is none.
    init?(_ text: [UInt8]) {
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(text.span)
            guard try scanner.value(text.span).kind == .object else { return nil }
            while let name = try scanner.member(text.span) {
                let token = try scanner.value(text.span)
                switch Self.string(name.text, text) {
                case "batch_id": batchID = Self.string(token.text, text)
                case "accepted": accepted = token.integer
                case "rejected": rejected = token.integer
                case "dry_run": isDryRun = token.kind == .true
                case "code": code = Self.string(token.text, text)
                case "detail": detail = Self.string(token.text, text)
                case "rejections" where token.kind == .array:
                    while try scanner.element(text.span) {
                        try readRejection(text, &scanner)
                    }
                    continue
                default: break
                }
                try scanner.skipRest(of: token, text.span)
            }
            try scanner.finish(text.span)
        } catch {
            return nil
        }
    }

    private mutating func readRejection(
        _ text: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) {
        let element = try scanner.value(text.span)
        guard element.kind == .object else { return try scanner.skipRest(of: element, text.span) }
        var index: Int64?
        var code: String?
        var detail: String?
        while let name = try scanner.member(text.span) {
            let token = try scanner.value(text.span)
            switch Self.string(name.text, text) {
            case "index": index = token.integer
            case "code": code = Self.string(token.text, text)
            case "detail": detail = Self.string(token.text, text)
            default: break
            }
            try scanner.skipRest(of: token, text.span)
        }
        guard let index, let code else { return }
        rejections.append(Answer.Verdict(index: index, code: code, detail: detail ?? ""))
    }

    private static func string(_ found: Text?, _ text: [UInt8]) -> String? {
        found.map { string($0, text) }
    }

    private static func string(_ found: Text, _ text: [UInt8]) -> String {
        var scratch: [UInt8] = []
        let count = found.unescape(text.span, into: &scratch)
        return String(decoding: scratch[..<count], as: UTF8.self)
    }
}
