import JSON

/// The members of an answer that a client looks at.
struct AnswerBody {
    var batchID: String?
    /// Whether there is a `batch_id`, be it `null`.
    var namesBatch = false
    var accepted: Int64?
    var rejected: Int64?
    var isDuplicate = false
    var isDryRun = false
    var code: String?
    var detail: String?
    var rejections: [Answer.Verdict] = []

    /// Reads a whole I-JSON object; nil if it is none.
    init?(_ text: [UInt8]) {
        // An array has a span from iOS 26 on only, its slice in all that the package names.
        let whole = text[...]
        let bytes = whole.span
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(bytes)
            guard try scanner.value(bytes).kind == .object else { return nil }
            while let name = try scanner.member(bytes) {
                let token = try scanner.value(bytes)
                switch name.text.string(in: text) {
                case "batch_id":
                    batchID = token.text?.string(in: text)
                    namesBatch = batchID != nil || token.kind == .null
                case "accepted": accepted = token.integer
                case "rejected": rejected = token.integer
                case "duplicate": isDuplicate = token.kind == .true
                case "dry_run": isDryRun = token.kind == .true
                case "code": code = token.text?.string(in: text)
                case "detail": detail = token.text?.string(in: text)
                case "rejections" where token.kind == .array:
                    while try scanner.element(bytes) {
                        try readRejection(text, &scanner)
                    }
                    continue
                default: break
                }
                try scanner.skipRest(of: token, bytes)
            }
            try scanner.finish(bytes)
        } catch {
            return nil
        }
    }

    /// The account of a stored batch; nil where a member of it is missing.
    var receipt: Answer.Receipt? {
        guard namesBatch, let accepted, let rejected else { return nil }
        return Answer.Receipt(
            batchID: batchID, isDuplicate: isDuplicate, isDryRun: isDryRun, accepted: accepted,
            rejected: rejected, verdicts: rejections)
    }

    private mutating func readRejection(
        _ text: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) {
        let whole = text[...]
        let bytes = whole.span
        let element = try scanner.value(bytes)
        guard element.kind == .object else { return try scanner.skipRest(of: element, bytes) }
        var index: Int64?
        var code: String?
        var detail: String?
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch name.text.string(in: text) {
            case "index": index = token.integer
            case "code": code = token.text?.string(in: text)
            case "detail": detail = token.text?.string(in: text)
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        guard let index, let code else { return }
        rejections.append(Answer.Verdict(index: index, code: code, detail: detail ?? ""))
    }
}
