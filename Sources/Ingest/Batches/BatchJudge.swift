import Events
import JSON
import Sealing

/// Judges the text of a batch by the rules of docs/protocol.md, The batch and Events, in one pass,
/// and makes of it what is stored. One for each worker: its buffers are used again for the next
/// batch.
package struct BatchJudge: ~Copyable {
    static let members = [
        "schema", "batch_id", "sent_at", "sequence", "dropped_events", "resource", "events",
    ]
    static let eventMembers = ["name", "time", "attributes"]
    /// No name of a known member is longer, in bytes.
    static let maxMemberLength = 32

    var scanner: Scanner
    let memberNames: Interner
    let eventMemberNames: Interner
    let resourceNames: Interner
    var events: EventJudge
    /// A string without its escapes, and one with only those that JSON demands.
    var scratch: [UInt8] = []
    var escaped: [UInt8] = []

    // Of the batch at hand:
    var judged = JudgedBatch()
    var broken: BatchRule?
    var sentAt: Int64?
    var hasMember: UInt32 = 0

    package init(hash: TextHash = .process) {
        scanner = Scanner(hash: hash)
        memberNames = Interner(hash: hash, fixed: BatchJudge.members)
        eventMemberNames = Interner(hash: hash, fixed: BatchJudge.eventMembers)
        resourceNames = Interner(hash: hash, fixed: Resource.members + Resource.identities)
        events = EventJudge(hash: hash)
    }

    /// The JSON values and members' names of the text that was judged last, as far as it was read.
    var elements: Int { scanner.elements }

    /// Judges the inflated text of one batch.
    /// - Throws: the first rule, in the order of the contract, that the batch as a whole breaks.
    package mutating func judge(
        _ bytes: Span<UInt8>, _ context: JudgeContext
    ) throws(BatchRule) -> JudgedBatch {
        events.shift = 0
        // Still there where a rule is broken.
        defer { judged.rawDeviceID.overwrite() }
        try scan(bytes, context)
        let known = context.shift(sentAt: sentAt)
        if known != events.shift {
            // `sent_at` came after the events.
            if events.isSettled(context, known) {
                events.move(by: known)
            } else {
                events.shift = known
                try scan(bytes, context)
            }
        }
        return finish()
    }

    /// Reads the whole text; the events' `shift` is what is known of it before `sent_at` is read.
    private mutating func scan(
        _ bytes: Span<UInt8>, _ context: JudgeContext
    ) throws(BatchRule) {
        events.reset()
        judged.rawDeviceID.overwrite()
        judged = JudgedBatch()
        broken = nil
        sentAt = nil
        hasMember = 0
        do throws(Malformed) {
            try scanner.reset(bytes, maxElements: context.maxElements)
            let token = try scanner.value(bytes)
            guard token.kind == .object else {
                throw Malformed(offset: token.start, rule: .syntax)
            }
            try readMembers(bytes, context)
            try scanner.finish(bytes)
        } catch {
            throw error.rule == .elements ? BatchRule.elements : .text
        }
        judgeAbsences(context)
        if let broken { throw broken }
    }

    private mutating func finish() -> JudgedBatch {
        var out = JudgedBatch()
        swap(&out, &judged)
        events.fill(&out)
        out.sentAt = sentAt
        return out
    }

    /// Notes that a rule is broken; the first in the contract's order stays.
    mutating func breakRule(_ rule: BatchRule) {
        broken = min(broken ?? rule, rule)
    }
}
