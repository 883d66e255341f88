import HTTP1

/// The origins whose pages may post to the logs endpoint (docs/operation.md, Settings: `cors-origins`).
struct CORSOrigins: Sendable {
    private let listed: Set<String>
    private let allowsAny: Bool

    init(_ origins: [String]) {
        allowsAny = origins.contains("*")
        listed = Set(origins)
    }

    /// No page may.
    var isEmpty: Bool { listed.isEmpty }

    /// Of any origin no more is said back than an origin can be.
    func allows(_ origin: String) -> Bool {
        if allowsAny, origin.utf8.count <= Self.maxLength,
            origin == "null" || Self.isOrigin(origin), origin != "*"
        {
            return true
        }
        return listed.contains(origin) && origin != "*"
    }

    /// A name in the DNS has at most 253 bytes.
    private static let maxLength = 300

    /// The fields that a page may send: those that it asks for, whatever they are, since nothing is read of them that
    /// is not judged anyway. Where it asks for none, or for what is no list of names, those that OTLP needs.
    /// - Parameter asked: the values of all `Access-Control-Request-Headers`
    static func allowedFields(_ asked: [String]) -> String {
        let list = asked.joined(separator: ",")
        let names = list.utf8.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let isList = list.utf8.count <= maxFieldsLength && names.allSatisfy(isFieldName)
        return isList ? list : "authorization, content-type, content-encoding"
    }

    /// Bytes of a list of names that are said back.
    private static let maxFieldsLength = 1024

    /// A name, with white space around it.
    private static func isFieldName(_ element: Substring.UTF8View) -> Bool {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let name = element.drop(while: isSpace)
        guard let end = name.lastIndex(where: { !isSpace($0) }) else { return false }
        return name[...end].allSatisfy { CharacterClass.token.contains($0) }
    }

    /// Whether a text is an origin as browsers write it (RFC 6454 §6.2), or `*`: in small letters, without a path.
    static func isOrigin(_ text: String) -> Bool {
        if text == "*" { return true }
        guard let colon = text.range(of: "://") else { return false }
        let scheme = text[..<colon.lowerBound]
        let host = text[colon.upperBound...]
        let port = ["https": ":443", "http": ":80"][String(scheme)]
        // Browsers leave the scheme's own port out.
        if let port, host.hasSuffix(port) { return false }
        return !scheme.isEmpty && !host.isEmpty && scheme.utf8.allSatisfy(isOfScheme)
            && host.utf8.allSatisfy(isOfHost)
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        isSmallLetterOrDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        isSmallLetterOrDigit(byte) || "-._:[]".utf8.contains(byte)
    }

    private static func isSmallLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension String {
    /// Where a text stands in it first (without Foundation).
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
