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

    /// One event while it is read.
    struct Draft {
        var broken: EventRule?
        /// Number in `names`, -1 if it has none that is good.
        var name = -1
        var hasName = false
        /// As sent.
        var time: Int64 = 0
        var hasTime = false
        /// Number in `sessions`, -1 without one.
        var session = -1
        /// `StandardAttribute`s that are there, and those that are of their form: bit n is raw
        /// value n.
        var present: UInt8 = 0
        var formed: UInt8 = 0

        @inline(__always)
        mutating func breakRule(_ rule: EventRule) {
            if let broken, broken <= rule { return }
            broken = rule
        }
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
            return log.add(index: index, rule: .shape)
        }
        var draft = Draft()
        let blobStart = blobs.count
        let keyMark = keys.storedCount
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch BatchJudge.index(of: name, in: eventMemberNames, bytes, &scratch) {
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
        judgeWhole(&draft, context)
        if let broken = draft.broken {
            blobs.truncate(to: blobStart)
            keys.removeStored(from: keyMark)
            return log.add(index: index, rule: broken)
        }
        rows.append(
            AcceptedEvent(
                index: UInt16(truncatingIfNeeded: index),
                name: UInt32(truncatingIfNeeded: names.storedIndex(draft.name)),
                time: draft.time &+ shift,
                session: draft.session < 0 ? -1 : sessions.storedIndex(draft.session),
                attributes: UInt32(
                    truncatingIfNeeded: blobStart)..<UInt32(truncatingIfNeeded: blobs.count)))
    }

    /// The rules that need more than one member.
    @inline(__always)
    private mutating func judgeWhole(_ draft: inout Draft, _ context: JudgeContext) {
        guard draft.hasName && draft.hasTime else { return draft.breakRule(.shape) }
        if let broken = draft.broken, broken < .timeRange { return }
        if !context.allows(draft.time, shift: shift) { draft.breakRule(.timeRange) }
        if draft.time.magnitude <= BatchLimit.integer.magnitude {
            earliest = min(earliest, draft.time)
            latest = max(latest, draft.time)
        }
        if draft.broken == nil, draft.name < requirements.count {
            let requirement = requirements[draft.name]
            if requirement.required & ~draft.present != 0 {
                draft.breakRule(.missing)
            } else if requirement.formed & draft.present & ~draft.formed != 0 {
                draft.breakRule(.requiredType)
            }
        }
    }

    @inline(__always)
    private mutating func readName(_ token: Token, _ bytes: Span<UInt8>, _ draft: inout Draft) {
        draft.hasName = true
        let number: Int
        switch token.kind {
        case .string where token.end &- token.start <= BatchLimit.eventName:
            let hash = scanner.hash.hash(bytes, token.start, token.end)
            number = names.intern(bytes, token.start, token.end, hash: hash)
        case .escapedString: number = internEscapedName(token, bytes)
        default: number = -1
        }
        guard number >= 0 else { return draft.breakRule(.name) }
        if names[mark: number] != NameMark.valid {
            guard judgeName(number) else { return draft.breakRule(.name) }
        }
        draft.name = number
    }

    private mutating func internEscapedName(_ token: Token, _ bytes: Span<UInt8>) -> Int {
        guard let text = token.text, text.count <= BatchLimit.eventName * 6 else { return -1 }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.eventName else { return -1 }
        let copy = scratch
        return names.intern(
            copy.span, 0, count, hash: scanner.hash.hash(copy.span, 0, count))
    }

    /// Whether a name that was not seen before is good; remembered for the rest of the batch.
    @inline(never)
    private mutating func judgeName(_ number: Int) -> Bool {
        if names[mark: number] == NameMark.unjudged {
            names[mark: number] =
                names.read(number, EventName.isValid) ? NameMark.valid : NameMark.invalid
        }
        return names[mark: number] == NameMark.valid
    }

    @inline(__always)
    private func readTime(_ token: Token, _ draft: inout Draft) {
        draft.hasTime = true
        switch token.kind {
        case .integer: draft.time = token.value
        // What 64 bits do not hold is out of range all the more.
        case .hugeInteger: draft.time = .max
        default: draft.breakRule(.time)
        }
    }
}
