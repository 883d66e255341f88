import Events
import JSON

/// Judges events one by one, whatever they are read from, and makes rows of those that keep all rules
/// (docs/protocol.md, Events). Its buffers are used again for the next batch.
struct EventJudge: ~Copyable {
    let hash: TextHash
    /// The names of this batch's events; the first are `StandardEvent`'s.
    var names: Interner
    /// The keys of its attributes; the first are `StandardAttribute`'s.
    var keys: Interner
    var sessions: Interner
    var rows: [AcceptedEvent] = []
    /// The attributes of the accepted events.
    var blobs = ByteArena()
    var log = RejectionLog()
    let requirements: [Requirement]
    /// What the first `keys` have to be where they are needed.
    let forms: [FormBounds]
    /// What is added to times as far as is known.
    var shift: Int64 = 0
    /// The earliest and latest time as sent, of those that might be in range.
    private(set) var earliest = Int64.max
    private(set) var latest = Int64.min

    /// The number of `session.id` in `keys`: that of the first `StandardAttribute`.
    static let sessionKey = 0

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
        /// What the arena and the keys held before it.
        let blobStart: Int
        let keyMark: Int

        @inline(__always)
        mutating func breakRule(_ rule: EventRule) {
            if let broken, broken <= rule { return }
            broken = rule
        }
    }

    init(hash: TextHash) {
        self.hash = hash
        names = Interner(hash: hash, fixed: StandardEvent.allCases.map(\.name))
        keys = Interner(hash: hash, fixed: StandardAttribute.allCases.map(\.key))
        sessions = Interner(hash: hash)
        requirements = StandardEvent.allCases.map(Requirement.init)
        forms = StandardAttribute.allCases.map { FormBounds($0.form) }
        for number in requirements.indices { names[mark: number] = NameMark.valid }
    }

    /// Another batch begins.
    mutating func reset() {
        names.reset()
        keys.reset()
        sessions.reset()
        rows.removeAll(keepingCapacity: true)
        blobs.reset()
        log.reset()
        earliest = .max
        latest = .min
    }

    /// Another event begins.
    @inline(__always)
    func draft() -> Draft { Draft(blobStart: blobs.count, keyMark: keys.storedCount) }

    /// Judges what needs the whole event, and takes it or notes why not.
    /// - Returns: the rule that it breaks
    @inline(__always)
    @discardableResult
    mutating func finish(_ event: Draft, _ index: Int, _ context: JudgeContext) -> EventRule? {
        var draft = event
        judgeWhole(&draft, context)
        if let broken = draft.broken {
            blobs.truncate(to: draft.blobStart)
            keys.removeStored(from: draft.keyMark)
            log.add(index: index, rule: broken)
            return broken
        }
        rows.append(
            AcceptedEvent(
                index: UInt16(truncatingIfNeeded: index),
                name: UInt32(truncatingIfNeeded: names.storedIndex(draft.name)),
                time: draft.time &+ shift,
                session: draft.session < 0 ? -1 : sessions.storedIndex(draft.session),
                attributes: UInt32(
                    truncatingIfNeeded: draft.blobStart)..<UInt32(truncatingIfNeeded: blobs.count)))
        return nil
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

    /// Takes an event's name.
    /// - Parameter number: in `names`; below 0 where it is none
    @inline(__always)
    mutating func take(name number: Int, _ draft: inout Draft) {
        draft.hasName = true
        guard number >= 0 else { return draft.breakRule(.name) }
        if names[mark: number] != NameMark.valid {
            guard judgeName(number) else { return draft.breakRule(.name) }
        }
        draft.name = number
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

    /// Takes `session.id`, which stands beside the event, not among its attributes.
    /// - Parameter number: in `sessions`; below 0 where it is none
    @inline(__always)
    func take(session number: Int, _ draft: inout Draft) {
        draft.session = number
        draft.present |= 1
        draft.formed |= 1
        if number < 0 { draft.breakRule(.session) }
    }

    /// Begins an attribute of a key; the JSON of its value is appended to `blobs` next.
    /// - Parameters:
    ///   - kind: of the value
    ///   - measure: a string's bytes or an integer's value
    @inline(__always)
    mutating func beginAttribute(
        _ key: Int, _ kind: FormBounds.Kind, _ measure: Int64, _ draft: inout Draft
    ) {
        note(key, kind, measure, &draft)
        if blobs.count > draft.blobStart { blobs.append(UInt8(ascii: ",")) }
        blobs.append(decimal: UInt32(truncatingIfNeeded: keys.storedIndex(key)))
        blobs.append(UInt8(ascii: ","))
    }

    /// Remembers that a standard attribute is there, and whether it is of its form.
    @inline(__always)
    private func note(_ key: Int, _ kind: FormBounds.Kind, _ measure: Int64, _ draft: inout Draft) {
        guard key < forms.count else { return }
        let bit = UInt8(1) &<< UInt8(truncatingIfNeeded: key)
        draft.present |= bit
        if forms[key].allows(kind, measure) { draft.formed |= bit }
    }

    /// Whether moving the events by `known` instead changes no verdict.
    func isSettled(_ context: JudgeContext, _ known: Int64) -> Bool {
        guard earliest <= latest else { return true }
        return context.allows(earliest, shift: known) && context.allows(latest, shift: known)
            && context.allows(earliest, shift: shift) && context.allows(latest, shift: shift)
    }

    /// Moves all events by `known` instead.
    mutating func move(by known: Int64) {
        for index in rows.indices { rows[index].time += known - shift }
        shift = known
    }

    /// Puts what was judged into the batch.
    func fill(_ batch: inout JudgedBatch) {
        batch.clockShift = shift
        batch.rejected = log.rejected
        batch.rejections = log.first
        batch.rejectionCounts = log.byCode()
        batch.names = names.storedTexts()
        batch.sessionsJSON = sessions.storedJSON()
        batch.attributeKeys = keys.storedTexts()
        batch.events = Array(rows[...])
        batch.text = blobs.copy(0..<blobs.count)
    }
}
