import Events
import JSON

/// An event's `attributes`.
extension BatchJudge {
    /// The number of `session.id` in `keys`: that of the first `StandardAttribute`.
    private static let sessionKey = 0

    /// All members up to the end of the object; what is stored of them is appended to `blobs`.
    mutating func readAttributes(_ bytes: Span<UInt8>, _ draft: inout Draft) throws(Malformed) {
        var count = 0
        let start = blobs.count
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            count &+= 1
            // After a broken rule of this row or one before it, the rest only has to be JSON.
            if let broken = draft.broken, broken <= .attributes {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            let key = count <= BatchLimit.attributes ? number(ofKey: name, bytes) : -1
            if key < 0 || !readValue(token, key, start, bytes, &draft) {
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
        return keys.intern(bytes, name.text.start, name.text.end, hash: name.hash)
    }

    private mutating func number(ofEscapedKey name: Name, _ bytes: Span<UInt8>) -> Int {
        guard name.text.count <= BatchLimit.attributeKey * 6 else { return -1 }
        let count = name.text.unescape(bytes, into: &scratch)
        guard count > 0 && count <= BatchLimit.attributeKey else { return -1 }
        let copy = scratch
        return keys.intern(copy.span, 0, count, hash: name.hash)
    }

    /// Judges one attribute and appends it.
    /// - Returns: false if no attribute may be so.
    @inline(__always)
    private mutating func readValue(
        _ token: Token, _ key: Int, _ start: Int, _ bytes: Span<UInt8>, _ draft: inout Draft
    ) -> Bool {
        if key == BatchJudge.sessionKey {
            return readSession(token, bytes, &draft)
        }
        switch token.kind {
        case .string:
            let count = token.end &- token.start
            guard count <= BatchLimit.attributeText else { return false }
            note(key, .text, Int64(truncatingIfNeeded: count), &draft)
            beginAttribute(key, start)
            // With its quotes.
            blobs.append(bytes, token.start &- 1, token.end &+ 1)
        case .escapedString: return readEscaped(token, key, start, bytes, &draft)
        case .integer:
            guard token.value.magnitude <= BatchLimit.integer.magnitude else { return false }
            note(key, .integer, token.value, &draft)
            beginAttribute(key, start)
            if token.value == 0 {
                blobs.append(UInt8(ascii: "0"))
            } else {
                blobs.append(bytes, token.start, token.end)
            }
        case .decimal: return readDecimal(token, key, start, bytes, &draft)
        case .true, .false:
            note(key, .other, 0, &draft)
            beginAttribute(key, start)
            blobs.append(bytes, token.start, token.end)
        case .hugeInteger, .null, .object, .array: return false
        }
        return true
    }

    private mutating func readDecimal(
        _ token: Token, _ key: Int, _ start: Int, _ bytes: Span<UInt8>, _ draft: inout Draft
    ) -> Bool {
        guard let count = DecimalForm.canonical(token, bytes, into: &scratch) else { return false }
        note(key, .other, 0, &draft)
        beginAttribute(key, start)
        let copy = scratch
        blobs.append(copy.span, 0, count)
        return true
    }

    @inline(__always)
    private mutating func beginAttribute(_ key: Int, _ start: Int) {
        if blobs.count > start { blobs.append(UInt8(ascii: ",")) }
        blobs.append(decimal: UInt32(truncatingIfNeeded: keys.storedIndex(key)))
        blobs.append(UInt8(ascii: ","))
    }

    /// `session.id` stands beside the event, not among its attributes.
    @inline(__always)
    private mutating func readSession(
        _ token: Token, _ bytes: Span<UInt8>, _ draft: inout Draft
    ) -> Bool {
        switch token.kind {
        case .string:
            let count = token.end &- token.start
            if count > 0 && count <= BatchLimit.sessionID {
                let hash = scanner.hash.hash(bytes, token.start, token.end)
                draft.session = sessions.intern(bytes, token.start, token.end, hash: hash)
            }
        case .escapedString: draft.session = internEscapedSession(token, bytes)
        case .integer, .decimal, .true, .false: break
        case .hugeInteger, .null, .object, .array: return false
        }
        draft.present |= 1
        draft.formed |= 1
        if draft.session < 0 { draft.breakRule(.session) }
        return true
    }

    private mutating func internEscapedSession(_ token: Token, _ bytes: Span<UInt8>) -> Int {
        guard let text = token.text, text.count <= BatchLimit.sessionID * 6 else { return -1 }
        let count = text.unescape(bytes, into: &scratch)
        guard count > 0 && count <= BatchLimit.sessionID else { return -1 }
        let copy = scratch
        return sessions.intern(
            copy.span, 0, count, hash: scanner.hash.hash(copy.span, 0, count))
    }

    /// A string with escapes: stored with only those that JSON demands.
    private mutating func readEscaped(
        _ token: Token, _ key: Int, _ start: Int, _ bytes: Span<UInt8>, _ draft: inout Draft
    ) -> Bool {
        guard let text = token.text, text.count <= BatchLimit.attributeText * 6 else {
            return false
        }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.attributeText else { return false }
        note(key, .text, Int64(truncatingIfNeeded: count), &draft)
        beginAttribute(key, start)
        let copy = scratch
        escaped.removeAll(keepingCapacity: true)
        Writer.append(copy.span.extracting(0..<count), to: &escaped)
        let json = escaped
        blobs.append(json.span, 0, json.count)
        return true
    }

    /// Remembers that a standard attribute is there, and whether it is of its form. `measure` is a
    /// string's bytes or an integer's value.
    @inline(__always)
    private func note(_ key: Int, _ kind: FormBounds.Kind, _ measure: Int64, _ draft: inout Draft) {
        guard key < forms.count else { return }
        let bit = UInt8(1) &<< UInt8(truncatingIfNeeded: key)
        draft.present |= bit
        if forms[key].allows(kind, measure) { draft.formed |= bit }
    }
}
