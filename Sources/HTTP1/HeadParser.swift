/// Parses the head of a request, in one piece or in many; no byte is looked at twice while it is
/// incomplete. RequestLimits trip as soon as they are passed, not when the head is whole.
///
/// RFC 9112 §2 to §5, without any of the leniency that they allow: one space between the parts of
/// the request line, CR LF at every line's end, no folded lines, no white space before a colon.
package struct HeadParser: Sendable {
    /// What a call of `parse` came to.
    package enum Step: Equatable, Sendable {
        /// All bytes were looked at; the head goes on.
        case more
        /// `head` is complete and ends at `head.end`.
        case done
        /// The request is refused; `position` is the offset of the byte that broke the rule.
        case refused(RequestRefusal)
    }

    enum State: UInt8 {
        case leading, leadingEnd
        case method, target, version, lineEnd
        case fieldStart, name, valueStart, value, valueLineEnd
        case headEnd
    }

    package internal(set) var head = RequestHead()
    /// The next byte to look at, from the message's first.
    package internal(set) var position = 0
    var state = State.leading
    /// Where the element that is being read began.
    var mark = 0
    /// The end of the last byte of a value that is not white space.
    var valueEnd = 0
    /// Where the request line began, then where the field lines began.
    var sectionStart = 0
    /// Hexadecimal digits that have to follow in the target.
    var escapeDigits: UInt8 = 0
    var emptyLines = 0
    var nameRange = 0..<0
    var nameTag = FieldName.other
    var queryStart = -1

    package init() {}

    /// `true` once a byte other than those of leading empty lines has been seen.
    package var hasBegun: Bool { state != .leading && state != .leadingEnd }

    /// Makes the parser ready for the next message; keeps the table of fields if it is small.
    package mutating func reset() {
        var fields: [RequestHead.Field] = []
        swap(&fields, &head.fields)
        // A client may send many fields once; an idle connection shall not pay for it.
        if fields.capacity > 32 { fields = [] } else { fields.removeAll(keepingCapacity: true) }
        self = HeadParser()
        head.fields = fields
    }

    /// Looks at the bytes from `position` on. `bytes` begins with the message's first byte, also
    /// when the message comes in pieces.
    package mutating func parse(_ bytes: Span<UInt8>, limits: RequestLimits) -> Step {
        while position < bytes.count {
            let refusal: RequestRefusal?
            switch state {
            case .leading, .leadingEnd: refusal = leading(bytes, limits)
            case .method, .target, .version, .lineEnd: refusal = requestLine(bytes, limits)
            case .fieldStart, .name, .valueStart, .value, .valueLineEnd:
                refusal = fieldLine(bytes, limits)
            case .headEnd:
                if bytes[position] != Byte.lf { return .refused(.lineEnd) }
                position += 1
                head.end = position
                if let refusal = head.interpret(bytes) { return .refused(refusal) }
                return .done
            }
            if let refusal { return .refused(refusal) }
        }
        return .more
    }

    /// Empty lines before the request line are skipped, a few of them (RFC 9112 §2.2).
    private mutating func leading(_ bytes: Span<UInt8>, _ limits: RequestLimits) -> RequestRefusal?
    {
        let byte = bytes[position]
        if state == .leadingEnd {
            if byte != Byte.lf { return .lineEnd }
            position += 1
            state = .leading
            return nil
        }
        if byte == Byte.cr {
            emptyLines += 1
            if emptyLines > limits.leadingEmptyLines { return .requestLine }
            position += 1
            state = .leadingEnd
            return nil
        }
        if !CharacterClass.token.contains(byte) { return .requestLine }
        mark = position
        sectionStart = position
        state = .method
        return nil
    }

    /// Reads on in a field line, up to the end of `bytes` or of the line.
    private mutating func fieldLine(_ bytes: Span<UInt8>, _ limits: RequestLimits)
        -> RequestRefusal?
    {
        let limit = sectionStart + limits.headerBytes
        let end = min(bytes.count, limit)
        var at = position
        defer { position = at }
        if at >= limit { return .headerTooLarge }
        switch state {
        case .fieldStart:
            if bytes[at] == Byte.cr {
                at += 1
                state = .headEnd
                return nil
            }
            if head.fields.count >= limits.headerFields { return .tooManyFields }
            mark = at
            state = .name
            fallthrough
        case .name:
            let token = CharacterClass.token
            while at < end, token.contains(bytes[unchecked: at]) { at += 1 }
            if at == end { return nil }
            // White space here would be a folded line or a name that others read without it.
            if bytes[at] != Byte.colon || at == mark { return .fieldName }
            nameRange = mark..<at
            nameTag = FieldName(bytes, nameRange)
            at += 1
            state = .valueStart
            if at == end { return nil }
            fallthrough
        case .valueStart:
            while at < end, bytes[at] == Byte.space || bytes[at] == Byte.tab { at += 1 }
            if at == end { return nil }
            mark = at
            valueEnd = at
            state = .value
            fallthrough
        case .value:
            while at < end {
                let byte = bytes[unchecked: at]
                if byte > Byte.space, byte != 0x7F {
                    at += 1
                    valueEnd = at
                } else if byte == Byte.space || byte == Byte.tab {
                    at += 1
                } else {
                    break
                }
            }
            if at == end { return nil }
            if bytes[at] == Byte.lf { return .lineEnd }
            if bytes[at] != Byte.cr { return .fieldValue }
            at += 1
            state = .valueLineEnd
            if at == end { return nil }
            fallthrough
        default:
            if bytes[at] != Byte.lf { return .lineEnd }
            at += 1
            head.fields.append(
                .init(
                    name: nameTag, nameStart: UInt32(truncatingIfNeeded: nameRange.lowerBound),
                    nameEnd: UInt32(truncatingIfNeeded: nameRange.upperBound),
                    valueStart: UInt32(truncatingIfNeeded: mark),
                    valueEnd: UInt32(truncatingIfNeeded: valueEnd)))
            state = .fieldStart
            return nil
        }
    }
}
