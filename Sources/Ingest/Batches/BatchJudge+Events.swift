import Events
import JSON

/// The batch's `events`.
extension BatchJudge {
    /// Indexes in `eventMembers`.
    private enum Member {
        static let name = 0
        static let time = 1
        static let attributes = 2
    }

    /// All elements up to the end of the array. Once the batch is lost they are only checked as
    /// JSON.
    mutating func readEvents(_ bytes: Span<UInt8>, _ context: JudgeContext) throws(Malformed) {
        var index = 0
        while try scanner.element(bytes) {
            if broken != nil {
                try scanner.skipValue(bytes)
            } else if index == context.maxEvents {
                breakRule(.eventCount)
                try scanner.skipValue(bytes)
            } else {
                try readEvent(bytes, index, context)
            }
            index += 1
        }
    }

    private mutating func readEvent(
        _ bytes: Span<UInt8>, _ index: Int, _ context: JudgeContext
    ) throws(Malformed) {
        let token = try scanner.value(bytes)
        guard token.kind == .object else {
            try scanner.skipRest(of: token, bytes)
            return events.log.add(index: index, rule: .shape)
        }
        var draft = events.draft()
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch eventMemberNames.index(of: name, bytes, longest: Self.maxMemberLength, &scratch)
            {
            case Member.name: readName(token, bytes, &draft)
            case Member.time: readTime(token, &draft)
            case Member.attributes:
                if token.kind == .object {
                    try readAttributes(bytes, &draft)
                    continue
                }
                draft.breakRule(.attributes)
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        events.finish(draft, index, context)
    }

    @inline(__always)
    private mutating func readName(
        _ token: Token, _ bytes: Span<UInt8>, _ draft: inout EventJudge.Draft
    ) {
        let number: Int
        switch token.kind {
        case .string where token.end &- token.start <= BatchLimit.eventName:
            let hash = scanner.hash.hash(bytes, token.start, token.end)
            number = events.names.intern(bytes, token.start, token.end, hash: hash)
        case .escapedString: number = internEscapedName(token, bytes)
        default: number = -1
        }
        events.take(name: number, &draft)
    }

    private mutating func internEscapedName(_ token: Token, _ bytes: Span<UInt8>) -> Int {
        guard let text = token.text, text.count <= BatchLimit.eventName * 6 else { return -1 }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.eventName else { return -1 }
        let copy = scratch
        return events.names.intern(
            copy.span, 0, count, hash: scanner.hash.hash(copy.span, 0, count))
    }

    @inline(__always)
    private func readTime(_ token: Token, _ draft: inout EventJudge.Draft) {
        draft.hasTime = true
        switch token.kind {
        case .integer: draft.time = token.value
        // What 64 bits do not hold is out of range all the more.
        case .hugeInteger: draft.time = .max
        default: draft.breakRule(.time)
        }
    }
}
