import Compression
import JSON
import Sealing

/// Why content that should be gzip is not.
enum GzipComplaint {
    static let magic: [UInt8] = [0x1F, 0x8B]

    /// How many bytes after a member are looked for, and how many members.
    private static let maxExtra = 64

    static func about(_ content: [UInt8]) -> String {
        guard content.starts(with: magic) else {
            return "it is not gzip, which a body of profile legacy has to be"
        }
        guard let end = memberEnd(of: content) else {
            return "its gzip is damaged or cut short"
        }
        if content[end...].starts(with: magic) {
            return "it is more than one gzip member; compress it as one"
        }
        let extra = content.count - end
        return
            "its gzip member is followed by \(extra) byte\(extra == 1 ? "" : "s"); send it without"
    }

    /// Where the first member ends, if something follows it.
    private static func memberEnd(of content: [UInt8]) -> Int? {
        let ends = (max(0, content.count - maxExtra)..<content.count).reversed()
        let starts = content.indices.dropFirst().lazy.filter { content[$0...].starts(with: magic) }
        var scratch: [UInt8] = []
        let inflater = Inflater()
        return (Array(ends) + starts.prefix(maxExtra)).first { end in
            (try? inflater.gunzip(
                content.span.extracting(first: end), limit: 64 << 20, into: &scratch)) != nil
        }
    }
}

/// Why a compact serialization with a good header does not open.
enum JWEComplaint {
    private static let parts = ["header", "encrypted key", "nonce", "ciphertext", "tag"]
    /// Bytes of a nonce and of a tag.
    private static let sizes = ["nonce": 12, "tag": 16]

    static func about(_ body: [UInt8]) -> String {
        let texts = body.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (name, text) in zip(parts, texts) {
            guard let bytes = Base64URL.decode(Array(text).span) else {
                return text.contains(UInt8(ascii: "="))
                    ? "its \(name) is padded with =, which base64url here is not"
                    : "its \(name) is no base64url, or is cut"
            }
            if let size = sizes[name], bytes.count != size {
                return "its \(name) has \(bytes.count) bytes and not \(size)"
            }
        }
        return "it is damaged or sealed for another key than this one"
    }
}

/// Why a text is not one I-JSON object (docs/protocol.md, The text).
enum TextComplaint {
    /// Nil where it is one, of so many values and names at most.
    static func about(_ text: [UInt8], maxElements: Int) -> String? {
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(text.span, maxElements: maxElements)
            let token = try scanner.value(text.span)
            guard token.kind == .object else { return "it is no object" }
            try scanner.skipRest(of: token, text.span)
            try scanner.finish(text.span)
            return nil
        } catch {
            return "byte \(error.offset): \(name(of: error.rule))"
        }
    }

    private static func name(of rule: Malformed.Rule) -> String {
        switch rule {
        case .syntax: "no JSON"
        case .truncated: "it ends within a value"
        case .trailing: "something follows the object"
        case .byteOrderMark: "a byte order mark"
        case .encoding: "no UTF-8"
        case .control: "a control character that is not escaped"
        case .escape: "no escape"
        case .surrogate: "half of a surrogate pair"
        case .zero: "U+0000"
        case .number: "no number"
        case .duplicate: "a name that stands twice in its object"
        case .depth: "nested more than \(Scanner.maxDepth) deep"
        case .elements: "more values and names than max-elements; split the batch"
        }
    }
}
