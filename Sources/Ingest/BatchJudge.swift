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
    /// No name of a known member is longer, in bytes; an escape makes six of one.
    private static let maxMemberLength = 32
    static let identities = ["app.installation.id", "device.id"]

    var scanner: Scanner
    let memberNames: Interner
    let eventMemberNames: Interner
    let resourceNames: Interner
    /// The names of this batch's events; the first are `StandardEvent`'s.
    var names: Interner
    /// The keys of its attributes; the first are `StandardAttribute`'s.
    var keys: Interner
    var sessions: Interner
    var rows: [AcceptedEvent] = []
    /// The attributes of the accepted events.
    var blobs = ByteArena()
    var log = RejectionLog()
    /// A string without its escapes, and one with only those that JSON demands.
    var scratch: [UInt8] = []
    var escaped: [UInt8] = []
    let requirements: [Requirement]
    /// What the first `keys` have to be where they are needed.
    let forms: [FormBounds]

    // Of the batch at hand:
    var judged = JudgedBatch()
    var broken: BatchRule?
    var sentAt: Int64?
    var hasMember: UInt32 = 0
    /// What is added to times as far as is known.
    var shift: Int64 = 0
    /// The earliest and latest time as sent, of those that might be in range.
    var earliest = Int64.max
    var latest = Int64.min

    package init(hash: TextHash = .process) {
        scanner = Scanner(hash: hash)
        memberNames = Interner(hash: hash, fixed: BatchJudge.members)
        eventMemberNames = Interner(hash: hash, fixed: BatchJudge.eventMembers)
        resourceNames = Interner(hash: hash, fixed: Resource.members + BatchJudge.identities)
        names = Interner(hash: hash, fixed: StandardEvent.allCases.map(\.name))
        keys = Interner(hash: hash, fixed: StandardAttribute.allCases.map(\.key))
        sessions = Interner(hash: hash)
        requirements = StandardEvent.allCases.map(Requirement.init)
        forms = StandardAttribute.allCases.map { FormBounds($0.form) }
        for number in requirements.indices { names[mark: number] = NameMark.valid }
    }

    /// Judges the inflated text of one batch.
    /// - Throws: the first rule, in the order of the contract, that the batch as a whole breaks.
    package mutating func judge(
        _ bytes: Span<UInt8>, _ context: JudgeContext
    ) throws(BatchRule) -> JudgedBatch {
        shift = 0
        // Still there where a rule is broken.
        defer { judged.rawDeviceID.overwrite() }
        try scan(bytes, context)
        let known = context.shift(sentAt: sentAt)
        if known != shift {
            // `sent_at` came after the events.
            if isSettled(context, known) {
                for index in rows.indices { rows[index].time += known - shift }
                shift = known
            } else {
                shift = known
                try scan(bytes, context)
            }
        }
        return finish()
    }

    /// Whether moving the events by `known` instead changes no verdict.
    private func isSettled(_ context: JudgeContext, _ known: Int64) -> Bool {
        guard earliest <= latest else { return true }
        return context.allows(earliest, shift: known) && context.allows(latest, shift: known)
            && context.allows(earliest, shift: shift) && context.allows(latest, shift: shift)
    }

    /// Reads the whole text; `shift` is what is known of it before `sent_at` is read.
    private mutating func scan(
        _ bytes: Span<UInt8>, _ context: JudgeContext
    ) throws(BatchRule) {
        names.reset()
        keys.reset()
        sessions.reset()
        rows.removeAll(keepingCapacity: true)
        blobs.reset()
        log.reset()
        judged.rawDeviceID.overwrite()
        judged = JudgedBatch()
        broken = nil
        sentAt = nil
        hasMember = 0
        earliest = .max
        latest = .min
        do throws(Malformed) {
            try scanner.reset(bytes)
            let token = try scanner.value(bytes)
            guard token.kind == .object else {
                throw Malformed(offset: token.start, rule: .syntax)
            }
            try readMembers(bytes, context)
            try scanner.finish(bytes)
        } catch {
            throw .text
        }
        judgeAbsences(context)
        if let broken { throw broken }
    }

    private mutating func finish() -> JudgedBatch {
        var out = judged
        judged = JudgedBatch()
        out.clockShift = shift
        out.rejected = log.rejected
        out.rejections = log.first
        out.rejectionCounts = log.byCode()
        out.names = names.storedTexts()
        out.sessionsJSON = sessions.storedJSON()
        out.attributeKeys = keys.storedTexts()
        out.events = Array(rows[...])
        out.text = blobs.copy(0..<blobs.count)
        return out
    }

    /// Notes that a rule is broken; the first in the contract's order stays.
    mutating func breakRule(_ rule: BatchRule) {
        broken = min(broken ?? rule, rule)
    }

    /// The index of a member's name among known ones; -1 if it is none of them.
    @inline(__always)
    static func index(
        of name: Name, in known: borrowing Interner, _ bytes: Span<UInt8>,
        _ scratch: inout [UInt8]
    ) -> Int {
        if name.text.hasEscapes {
            guard name.text.count <= maxMemberLength * 6 else { return -1 }
            let count = name.text.unescape(bytes, into: &scratch)
            return known.find(scratch.span, 0, count, hash: name.hash)
        }
        return known.find(bytes, name.text.start, name.text.end, hash: name.hash)
    }
}

/// What `BatchJudge` makes of a batch that keeps all rules. Still with the raw device id, so it is
/// handed on only as `accepted`.
package struct JudgedBatch: Sendable {
    /// Nil only in profile `legacy`: the caller then makes one from the text.
    package var batchID: String?
    package var sequence: Int64?
    package var droppedEvents: Int64 = 0
    /// What was added to every time, milliseconds.
    package var clockShift: Int64 = 0
    /// The device's identity as sent, UTF-8. It is written nowhere (docs/protocol.md, Device
    /// identity).
    package var rawDeviceID: [UInt8] = []
    package var resource = Resource()
    package var rejected = 0
    package var rejections: [Rejection] = []
    package var rejectionCounts: [RejectionCount] = []
    package var names: [String] = []
    package var sessionsJSON: [UInt8]?
    package var attributeKeys: [String] = []
    package var events: [AcceptedEvent] = []
    package var text: [UInt8] = []

    /// What may be stored, with what the text itself does not say.
    package func accepted(
        app: Int64, device: DeviceHash, isShared: Bool, batchID: String, receivedAt: Int64,
        profile: Profile, key: Int64?, bodyBytes: Int
    ) -> AcceptedBatch {
        AcceptedBatch(
            app: app, device: device, isShared: isShared, resource: resource, batchID: batchID,
            receivedAt: receivedAt, clockShift: clockShift, profile: profile, key: key,
            sequence: sequence, droppedEvents: droppedEvents, bodyBytes: bodyBytes,
            rejected: rejected, rejections: rejections, rejectionCounts: rejectionCounts,
            names: names, sessionsJSON: sessionsJSON, attributeKeys: attributeKeys,
            events: events, text: text)
    }
}

/// The events of one batch that were not taken.
struct RejectionLog {
    private(set) var rejected = 0
    private(set) var first: [Rejection] = []
    private var counts = [Int](repeating: 0, count: EventRule.allCases.count)
    private var firsts = [Int](repeating: 0, count: EventRule.allCases.count)

    mutating func reset() {
        guard rejected > 0 else { return }
        rejected = 0
        first = []
        for row in counts.indices { counts[row] = 0 }
    }

    /// Indices come in ascending order.
    mutating func add(index: Int, rule: EventRule) {
        rejected += 1
        if first.count < Rejection.maxReported { first.append(Rejection(index: index, rule: rule)) }
        let row = Int(rule.rawValue)
        if counts[row] == 0 { firsts[row] = index }
        counts[row] += 1
    }

    /// By code, in order of `EventRule`.
    func byCode() -> [RejectionCount] {
        guard rejected > 0 else { return [] }
        var out: [RejectionCount] = []
        for rule in EventRule.allCases where counts[Int(rule.rawValue)] > 0 {
            let count = counts[Int(rule.rawValue)]
            let first = firsts[Int(rule.rawValue)]
            if let known = out.firstIndex(where: { $0.code == rule.code }) {
                out[known].count += count
                out[known].firstIndex = min(out[known].firstIndex, first)
            } else {
                out.append(RejectionCount(code: rule.code, count: count, firstIndex: first))
            }
        }
        return out
    }
}
