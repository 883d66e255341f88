/// The page's markup, into which style and script are put.
struct PageTemplate {
    /// The document, as UTF-8.
    let document: [UInt8]
    let faults: [PageFault]

    /// The names of the places: a comment within the element, and nothing beside it.
    static let stylePlace = "/* style.css */"
    static let scriptPlace = "/* main.js */"

    init(_ markup: [UInt8], style: [UInt8], script: [UInt8]) {
        var document = markup
        var faults: [PageFault] = []
        let parts: [(tag: String, place: String, text: [UInt8])] = [
            ("style", Self.stylePlace, style), ("script", Self.scriptPlace, script),
        ]
        for (tag, place, text) in parts {
            faults += Self.faults(of: text, in: tag)
            let (open, close) = ("<\(tag)>", "</\(tag)>")
            let places = Self.ranges(of: Array("\(open)\(place)\(close)".utf8), in: document)
            guard let whole = places.first, places.count == 1 else {
                faults.append(.missingPlace(place))
                continue
            }
            let inner = whole.lowerBound + open.utf8.count..<whole.upperBound - close.utf8.count
            document.replaceSubrange(inner, with: text)
        }
        self.document = document
        self.faults = faults
    }

    /// What an HTML parser would take for the end of the element, or for more than it is; a CR, and a zero, are not
    /// what the policy's hash is of (HTML, Parsing: script data; Preprocessing the input stream).
    private static func faults(of text: [UInt8], in tag: String) -> [PageFault] {
        let small = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return ["</\(tag)", "<!--", "\r", "\0"].compactMap { part in
            ranges(of: Array(part.utf8), in: small).isEmpty ? nil : .forbiddenText(part, in: tag)
        }
    }

    private static func ranges(of part: [UInt8], in text: [UInt8]) -> [Range<Int>] {
        guard let first = part.first, text.count >= part.count else { return [] }
        return (0...text.count - part.count).compactMap { start in
            text[start] == first && text[start...].starts(with: part)
                ? start..<start + part.count : nil
        }
    }
}
