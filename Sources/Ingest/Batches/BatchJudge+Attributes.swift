import Events
import JSON

/// An event's `attributes`.
extension BatchJudge {
    /// All members up to the end of the object; what is stored of them is appended to the events' `blobs`.
    mutating func readAttributes(_ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft)
        throws(Malformed)
    {
        var count = 0
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            count &+= 1
            // After a broken rule of this row or one before it, the rest only has to be JSON.
            if let broken = draft.broken, broken <= .attributes {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            let key = count <= BatchLimit.attributes ? number(ofKey: name, bytes) : -1
            if key < 0 || !readValue(token, key, bytes, &draft) {
                draft.breakRule(.attributes)
                try scanner.skipRest(of: token, bytes)
            }
        }
    }

    /// The key's number in `keys`; -1 if it is empty or too long.
    @inline(__always)
    private mutating func number(ofKey name: Name, _ bytes: Span<UInt8>) -> Int {
        if name.text.hasEscapes { return number(ofEscapedKey: name, bytes) }
        let count = name.text.end &- name.text.start
        guard count > 0 && count <= BatchLimit.attributeKey else { return -1 }
        return events.keys.intern(bytes, name.text.start, name.text.end, hash: name.hash)
    }

    private mutating func number(ofEscapedKey name: Name, _ bytes: Span<UInt8>) -> Int {
        guard name.text.count <= BatchLimit.attributeKey * 6 else { return -1 }
        let count = name.text.unescape(bytes, into: &scratch)
        guard count > 0 && count <= BatchLimit.attributeKey else { return -1 }
        let copy = scratch
        return events.keys.intern(copy.span, 0, count, hash: name.hash)
    }

    /// Judges one attribute and appends it.
    /// - Returns: false if no attribute may be so.
    @inline(__always)
    private mutating func readValue(
        _ token: Token, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> Bool {
        if key == EventJudge.sessionKey {
            return readSession(token, bytes, &draft)
        }
        switch token.kind {
        case .string:
            let count = token.end &- token.start
            guard count <= BatchLimit.attributeText else { return false }
            events.beginAttribute(key, .text, Int64(truncatingIfNeeded: count), &draft)
            // With its quotes.
            events.blobs.append(bytes, token.start &- 1, token.end &+ 1)
        case .escapedString: return readEscaped(token, key, bytes, &draft)
        case .integer:
            guard token.value.magnitude <= BatchLimit.integer.magnitude else { return false }
            events.beginAttribute(key, .integer, token.value, &draft)
            if token.value == 0 {
                events.blobs.append(UInt8(ascii: "0"))
            } else {
                events.blobs.append(bytes, token.start, token.end)
            }
        case .decimal: return readDecimal(token, key, bytes, &draft)
        case .true, .false:
            events.beginAttribute(key, .other, 0, &draft)
            events.blobs.append(bytes, token.start, token.end)
        case .hugeInteger, .null, .object, .array: return false
        }
        return true
    }

    private mutating func readDecimal(
        _ token: Token, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> Bool {
        guard let count = DecimalForm.canonical(token, bytes, into: &scratch) else { return false }
        events.beginAttribute(key, .other, 0, &draft)
        let copy = scratch
        events.blobs.append(copy.span, 0, count)
        return true
    }

    /// `session.id` stands beside the event, not among its attributes.
    @inline(__always)
    private mutating func readSession(
        _ token: Token, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> Bool {
        var number = -1
        switch token.kind {
        case .string:
            let count = token.end &- token.start
            if count > 0 && count <= BatchLimit.sessionID {
                let hash = scanner.hash.hash(bytes, token.start, token.end)
                number = events.sessions.intern(bytes, token.start, token.end, hash: hash)
            }
        case .escapedString: number = internEscapedSession(token, bytes)
        case .integer, .decimal, .true, .false: break
        case .hugeInteger, .null, .object, .array: return false
        }
        events.take(session: number, &draft)
        return true
    }

    private mutating func internEscapedSession(_ token: Token, _ bytes: Span<UInt8>) -> Int {
        guard let text = token.text, text.count <= BatchLimit.sessionID * 6 else { return -1 }
        let count = text.unescape(bytes, into: &scratch)
        guard count > 0 && count <= BatchLimit.sessionID else { return -1 }
        let copy = scratch
        return events.sessions.intern(
            copy.span, 0, count, hash: scanner.hash.hash(copy.span, 0, count))
    }

    /// A string with escapes: stored with only those that JSON demands.
    private mutating func readEscaped(
        _ token: Token, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> Bool {
        guard let text = token.text, text.count <= BatchLimit.attributeText * 6 else {
            return false
        }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.attributeText else { return false }
        events.beginAttribute(key, .text, Int64(truncatingIfNeeded: count), &draft)
        let copy = scratch
        escaped.removeAll(keepingCapacity: true)
        Writer.append(copy.span.extracting(0..<count), to: &escaped)
        let json = escaped
        events.blobs.append(json.span, 0, json.count)
        return true
    }
}
