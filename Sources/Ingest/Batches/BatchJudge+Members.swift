import Events
import JSON
import Sealing

/// The members of the batch itself.
extension BatchJudge {
    /// Indexes in `members`.
    private enum Member {
        static let schema = 0
        static let batchID = 1
        static let sentAt = 2
        static let sequence = 3
        static let droppedEvents = 4
        static let resource = 5
        static let events = 6
    }

    /// All members up to the end of the batch's object.
    mutating func readMembers(
        _ bytes: Span<UInt8>, _ context: JudgeContext
    ) throws(Malformed) {
        while let name = try scanner.member(bytes) {
            let member = memberNames.index(of: name, bytes, longest: Self.maxMemberLength, &scratch)
            let token = try scanner.value(bytes)
            if member >= 0 { hasMember |= 1 << UInt32(member) }
            switch member {
            case Member.schema:
                if token.integer != 1 { breakRule(.schema) }
            case Member.batchID: readBatchID(token, bytes)
            case Member.sentAt:
                sentAt = count(token, .sentAt)
                // Once events have been read it is `judge` that moves them.
                if hasMember >> UInt32(Member.events) & 1 == 0 {
                    events.shift = context.shift(sentAt: sentAt)
                }
            case Member.sequence: judged.sequence = count(token, .sequence)
            case Member.droppedEvents: judged.droppedEvents = count(token, .droppedEvents) ?? 0
            case Member.resource:
                if token.kind == .object {
                    try readResource(bytes)
                    continue
                }
                breakRule(.resource)
            case Member.events:
                if token.kind == .array {
                    try readEvents(bytes, context)
                    continue
                }
                breakRule(.events)
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
    }

    /// What is wrong with members that are not there.
    mutating func judgeAbsences(_ context: JudgeContext) {
        if hasMember >> UInt32(Member.batchID) & 1 == 0, context.profile != .legacy {
            breakRule(.batchID)
        }
        if hasMember >> UInt32(Member.resource) & 1 == 0 { breakRule(.resource) }
        if hasMember >> UInt32(Member.events) & 1 == 0 { breakRule(.events) }
    }

    /// An integer from 0 to 2^53−1.
    private mutating func count(_ token: Token, _ rule: BatchRule) -> Int64? {
        guard let value = token.integer, value >= 0, value <= BatchLimit.integer else {
            breakRule(rule)
            return nil
        }
        return value
    }

    /// A string of 1 to 64 of `[A-Za-z0-9._:-]`.
    private mutating func readBatchID(_ token: Token, _ bytes: Span<UInt8>) {
        // Escaped, one of these characters takes six bytes.
        guard let text = token.text, text.count <= BatchLimit.batchID * 6 else {
            return breakRule(.batchID)
        }
        let count = text.unescape(bytes, into: &scratch)
        guard (1...BatchLimit.batchID).contains(count),
            BatchLimit.allowsInBatchID(scratch.span.extracting(0..<count))
        else {
            return breakRule(.batchID)
        }
        judged.batchID = String(decoding: scratch[..<count], as: UTF8.self)
    }
}

/// The batch's `resource`.
extension BatchJudge {
    /// All members up to the end of the object.
    mutating func readResource(_ bytes: Span<UInt8>) throws(Malformed) {
        var installation: Token?
        var device: Token?
        while let name = try scanner.member(bytes) {
            let member = resourceNames.index(
                of: name, bytes, longest: Self.maxMemberLength, &scratch)
            let token = try scanner.value(bytes)
            switch member {
            case Resource.members.count: installation = token
            case Resource.members.count + 1: device = token
            case 0...: readText(token, member, bytes)
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        // Where the first is there it alone counts.
        readDeviceID(installation ?? device, bytes)
    }

    private mutating func readText(_ token: Token, _ member: Int, _ bytes: Span<UInt8>) {
        guard let text = token.text, text.count <= BatchLimit.resourceMember * 6 else {
            return breakRule(.resourceMember)
        }
        let count = text.unescape(bytes, into: &scratch)
        guard count <= BatchLimit.resourceMember else { return breakRule(.resourceMember) }
        judged.resource[member] = String(decoding: scratch[..<count], as: UTF8.self)
    }

    private mutating func readDeviceID(_ token: Token?, _ bytes: Span<UInt8>) {
        guard let text = token?.text, text.count <= BatchLimit.deviceID * 6 else {
            return breakRule(.deviceID)
        }
        let count = text.unescape(bytes, into: &scratch)
        guard (1...BatchLimit.deviceID).contains(count) else { return breakRule(.deviceID) }
        judged.rawDeviceID = Array(scratch[..<count])
        scratch.overwrite(first: count)
    }
}
