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
            // After a broken rule of the attributes or one before it, the rest only has to be JSON.
            if let broken = draft.broken, broken < .session {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            if let broken = readAttribute(name, token, count, bytes, &draft) {
                draft.breakRule(broken)
                try scanner.skipRest(of: token, bytes)
            }
        }
    }

    /// Judges one attribute and appends it.
    /// - Parameter count: how many there are with it
    /// - Returns: the rule that it breaks
    @inline(__always)
    private mutating func readAttribute(
        _ name: Name, _ token: Token, _ count: Int, _ bytes: Span<UInt8>,
        _ draft: inout EventJudge.Draft
    ) -> EventRule? {
        guard count <= BatchLimit.attributes else { return .attributeCount }
        let key = number(ofKey: name, bytes)
        guard key >= 0 else { return .attributeKey }
        return readValue(token, key, bytes, &draft)
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

    /// Judges a value and appends it.
    /// - Returns: the rule that it breaks
    @inline(__always)
    private mutating func readValue(
        _ token: Token, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> EventRule? {
        if key == EventJudge.sessionKey {
            return readSession(token, bytes, &draft)
        }
        switch token.kind {
        case .string:
            let count = token.end &- token.start
            guard count <= BatchLimit.attributeText else { return .attributeLength }
            events.beginAttribute(key, .text, Int64(truncatingIfNeeded: count), &draft)
            // With its quotes.
            events.blobs.append(bytes, token.start &- 1, token.end &+ 1)
        case .escapedString: return readEscaped(token, key, bytes, &draft)
        case .integer:
            guard token.value.magnitude <= BatchLimit.integer.magnitude else {
                return .attributeNumber
            }
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
        case .hugeInteger, .null, .object, .array: return Self.rule(broken: token)
        }
        return nil
    }

    /// The rule that a value breaks which no attribute has.
    private static func rule(broken token: Token) -> EventRule {
        switch token.kind {
        case .null: .attributeNull
        case .array: .attributeList
        case .object: .attributeObject
        default: .attributeNumber
        }
    }

    private mutating func readDecimal(
        _ token: Token, _ key: Int, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> EventRule? {
        guard let count = DecimalForm.canonical(token, bytes, into: &scratch) else {
            return .attributeNumber
        }
        events.beginAttribute(key, .other, 0, &draft)
        let copy = scratch
        events.blobs.append(copy.span, 0, count)
        return nil
    }

    /// `session.id` stands beside the event, not among its attributes.
    @inline(__always)
    private mutating func readSession(
        _ token: Token, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) -> EventRule? {
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
        case .hugeInteger, .null, .object, .array: return Self.rule(broken: token)
        }
        events.take(session: number, &draft)
        return nil
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
    ) -> EventRule? {
        guard let text = token.text, text.count <= BatchLimit.attributeText * 6 else {
            return .attributeLength
        }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.attributeText else { return .attributeLength }
        events.beginAttribute(key, .text, Int64(truncatingIfNeeded: count), &draft)
        let copy = scratch
        escaped.removeAll(keepingCapacity: true)
        Writer.append(copy.span.extracting(0..<count), to: &escaped)
        let json = escaped
        events.blobs.append(json.span, 0, json.count)
        return nil
    }
}
