/// The request line (RFC 9112 §3).
extension HeadParser {
    /// Reads on in the request line, up to the end of `bytes` or of an element.
    mutating func requestLine(_ bytes: Span<UInt8>, _ limits: RequestLimits) -> RequestRefusal? {
        let limit = sectionStart + limits.requestLineBytes
        let end = min(bytes.count, limit)
        switch state {
        case .method:
            while position < end, CharacterClass.token.contains(bytes[unchecked: position]) {
                position += 1
            }
            // A method longer than any that is known (RFC 9112 §3); its end is never seen.
            if position == limit { return .unknownMethod }
            if position == end { return nil }
            if bytes[position] != Byte.space { return .requestLine }
            head.method = Method(bytes, mark..<position)
            position += 1
            mark = position
            state = .target
            return nil
        case .target:
            return target(bytes, end: end, limit: limit)
        case .version:
            return version(bytes, end: end, limit: limit)
        default:
            if bytes[position] != Byte.lf { return .lineEnd }
            position += 1
            sectionStart = position
            state = .fieldStart
            return lineIsWhole(bytes)
        }
    }

    private mutating func target(_ bytes: Span<UInt8>, end: Int, limit: Int) -> RequestRefusal? {
        if position == mark, position < end {
            switch bytes[position] {
            case Byte.slash: head.targetForm = .origin
            case Byte.asterisk: head.targetForm = .asterisk
            case Byte.space: return .requestLine
            default: head.targetForm = head.method == .connect ? .authority : .absolute
            }
        }
        let allowed =
            head.targetForm == .origin ? CharacterClass.target : CharacterClass.authorityTarget
        while position < end {
            let byte = bytes[unchecked: position]
            if !allowed.contains(byte) { break }
            if escapeDigits > 0 {
                if !CharacterClass.hexDigit.contains(byte) { return .target }
                escapeDigits -= 1
            } else if byte == Byte.percent {
                escapeDigits = 2
            } else if byte == Byte.question, queryStart < 0 {
                queryStart = position
            }
            position += 1
        }
        if position == limit { return .requestLineTooLong }
        if position == end { return nil }
        if bytes[position] != Byte.space || escapeDigits > 0 { return .target }
        head.target = mark..<position
        if queryStart >= 0 { head.query = (queryStart + 1)..<position }
        head.path = mark..<(queryStart >= 0 ? queryStart : position)
        position += 1
        mark = position
        state = .version
        return nil
    }

    /// `HTTP/` digit `.` digit, then CR (RFC 9112 §2.3).
    private mutating func version(_ bytes: Span<UInt8>, end: Int, limit: Int) -> RequestRefusal? {
        let pattern: StaticString = "HTTP/0.0"
        while position < end, position - mark < 8 {
            let byte = bytes[position]
            let expected = pattern.utf8Start[position - mark]
            let fits =
                expected == 0x30 ? CharacterClass.isDigit(byte) : byte == expected
            if !fits { return .requestLine }
            position += 1
        }
        // The line's end does not count towards its length.
        if position == limit, position - mark < 8 { return .requestLineTooLong }
        if position == bytes.count { return nil }
        if bytes[position] != Byte.cr { return .requestLine }
        position += 1
        state = .lineEnd
        return nil
    }

    /// Judges the request line once it is whole; the version comes first, since the rest of another
    /// protocol's line means nothing here (the HTTP/2 preface among them).
    private mutating func lineIsWhole(_ bytes: Span<UInt8>) -> RequestRefusal? {
        if bytes[mark + 5] != 0x31 { return .version }
        head.version = bytes[mark + 7] == 0x30 ? .http10 : .http11
        switch head.targetForm {
        case .origin:
            return head.method == .connect ? .target : nil
        case .asterisk:
            if head.target.count != 1 || head.method != .options { return .target }
            head.path = head.target.upperBound..<head.target.upperBound
            return nil
        case .authority:
            // CONNECT needs a port (RFC 9110 §9.3.6).
            guard Authority(bytes, head.target) == .hostAndPort else { return .target }
            head.path = head.target.upperBound..<head.target.upperBound
            return nil
        case .absolute:
            return absoluteTarget(bytes)
        }
    }

    /// `http://authority/path?query` (RFC 9112 §3.2.2); user information is refused (RFC 9110 §4.2.4).
    private mutating func absoluteTarget(_ bytes: Span<UInt8>) -> RequestRefusal? {
        let start = head.target.lowerBound
        let scheme: Int
        if head.target.count > 7, Words.equal(bytes, start..<start + 7, "http://") {
            scheme = 7
        } else if head.target.count > 8, Words.equal(bytes, start..<start + 8, "https://") {
            scheme = 8
        } else {
            return .target
        }
        let pathEnd = head.path.upperBound
        var at = start + scheme
        while at < pathEnd, bytes[at] != Byte.slash { at += 1 }
        guard start + scheme <= at, Authority(bytes, (start + scheme)..<at) != nil else {
            return .target
        }
        head.path = at..<pathEnd
        // Brackets belong to the authority alone.
        for position in at..<head.target.upperBound
        where !CharacterClass.target.contains(bytes[position]) {
            return .target
        }
        return nil
    }
}
