import Events

/// Makes segments of an app's events, batch after batch in order of their ids:
///
///     builder.begin(batch: 7, device: 1, resource: 2, arrival: …)
///     builder.add(builder.place(of: name), time: …, session: hash, subject: "\"menu\"", amount: 1)
///     let segments = builder.build()
///
/// It takes some 40 bytes an event until then.
package struct SegmentBuilder {
    /// What a batch's events have in common.
    struct Part {
        let batch: Int64
        let device: Int64
        let resource: Int64
        /// Milliseconds since 1970-01-01T00:00:00Z.
        let arrival: Int64
        /// The first of its events.
        let start: Int
    }

    struct Event {
        let time: Int64
        let amount: Int64
        /// Index in `sessions`; −1 without one.
        let session: Int32
        /// Index in `names`.
        let name: Int32
        /// Index in `subjects`; −1 without one.
        let subject: Int32
        let kind: SessionEventKind
    }

    private var parts: [Part] = []
    private var events: [Event] = []
    private var sessions: [UInt64] = []
    private(set) var names: [SegmentName] = []
    private var nameIndices: [Int64: Int32] = [:]
    private var subjects = SubjectTable()
    /// The day of the last event that had a subject, by the subject's number.
    private var lastDays: [Int64] = []
    /// About how many bytes of subjects the segments will have: each day has its own copy of a text.
    private var subjectBytes = 0
    /// Where the sessions of the batch begin.
    private var firstSession = 0
    /// Indices of the batch's sessions by their hashes, where it has more than `linearSearchLimit`.
    private var sessionIndices: [UInt64: Int32] = [:]
    /// How many sessions of a batch are compared one by one.
    private static let linearSearchLimit = 8

    /// Empty.
    package init() {}

    /// How many events it has.
    package var count: Int { events.count }
    /// Whether its texts are so long that it has to be packed, even with few events: one transaction writes all of its
    /// segments.
    package var isHeavy: Bool { subjectBytes >= Self.maxSubjectBytes }
    private static let maxSubjectBytes = 2 << 20
    /// The last batch that was begun.
    package var lastBatch: Int64? { parts.last?.batch }

    /// Begins a batch after the one before.
    package mutating func begin(batch: Int64, device: Int64, resource: Int64, arrival: Int64) {
        // Of batches without events nothing is held but that there was one.
        if let last = parts.last, last.start == events.count { parts.removeLast() }
        parts.append(
            Part(
                batch: batch, device: device, resource: resource, arrival: arrival,
                start: events.count))
        firstSession = sessions.count
        if !sessionIndices.isEmpty { sessionIndices = [:] }
    }

    /// An event of that batch.
    /// - Parameters:
    ///   - name: its `index`
    ///   - session: hash of its session's id; nil without one
    ///   - subject: a JSON scalar as stored; nil without one
    package mutating func add(
        _ name: Int32, time: Int64, session: UInt64?, subject: Span<UInt8>?, amount: Int64
    ) {
        var number: Int32 = -1
        if let subject {
            number = subjects.number(of: subject)
            note(number, subject.count, onDay: Segment.day(of: time))
        }
        events.append(
            Event(
                time: time, amount: amount, session: session.map { index(of: $0) } ?? -1,
                name: name, subject: number, kind: names[Int(name)].kind))
    }

    /// Counts a subject, unless the event before that had it is of the same day.
    private mutating func note(_ subject: Int32, _ bytes: Int, onDay day: Int64) {
        let index = Int(subject)
        if index == lastDays.count {
            lastDays.append(day)
        } else if lastDays[index] != day {
            lastDays[index] = day
        } else {
            return
        }
        subjectBytes += bytes
    }

    /// Nothing, with its memory kept.
    package mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        sessions.removeAll(keepingCapacity: true)
        firstSession = 0
        sessionIndices = [:]
        names = []
        nameIndices = [:]
        subjects.removeAll()
        lastDays.removeAll(keepingCapacity: true)
        subjectBytes = 0
    }

    /// A batch usually has few sessions, and the one before is the likeliest. The indices of more are
    /// kept by hash, so that each event costs the same however many there are; Swift's hash is keyed at
    /// random.
    private mutating func index(of session: UInt64) -> Int32 {
        var index = sessions.count
        let least = max(firstSession, index - Self.linearSearchLimit)
        while index > least {
            index -= 1
            if sessions[index] == session { return Int32(truncatingIfNeeded: index) }
        }
        if let index = sessionIndices[session] { return index }
        let fresh = Int32(truncatingIfNeeded: sessions.count)
        sessions.append(session)
        if sessions.count - firstSession == Self.linearSearchLimit + 1 {
            for index in firstSession..<sessions.count {
                sessionIndices[sessions[index]] = Int32(truncatingIfNeeded: index)
            }
        } else if sessions.count - firstSession > Self.linearSearchLimit {
            sessionIndices[session] = fresh
        }
        return fresh
    }

    /// The number of a name for `add`.
    package mutating func index(of name: SegmentName) -> Int32 {
        if let index = nameIndices[name.row] { return index }
        let index = Int32(truncatingIfNeeded: names.count)
        names.append(name)
        nameIndices[name.row] = index
        return index
    }

    /// All segments of what was added, by day.
    package func build() -> [Segment] {
        var days: [Int64: SegmentPacker] = [:]
        var order: [Event] = []
        for (number, part) in parts.enumerated() {
            let end = number + 1 < parts.count ? parts[number + 1].start : events.count
            if part.start == end { continue }
            order.removeAll(keepingCapacity: true)
            order += events[part.start..<end]
            Self.sort(&order)
            var first = 0
            while first < order.count {
                let day = Segment.day(of: order[first].time)
                var last = first + 1
                while last < order.count, Segment.day(of: order[last].time) == day { last += 1 }
                days[day, default: SegmentPacker(day: day)].add(part, order[first..<last])
                first = last
            }
        }
        var usedNames = SegmentPacker.Used(of: names.count)
        var usedSubjects = SegmentPacker.Used(of: subjects.count)
        return days.keys.sorted().compactMap { day in
            days[day]?.pack(
                sessions: sessions, names: names, subjects: subjects, &usedNames, &usedSubjects)
        }
    }

    /// By day, then session, then as sessions have it. Events mostly come so.
    private static func sort(_ events: inout [Event]) {
        func precedes(_ a: Event, _ b: Event) -> Bool {
            let (dayOfA, dayOfB) = (Segment.day(of: a.time), Segment.day(of: b.time))
            if dayOfA != dayOfB { return dayOfA < dayOfB }
            if a.session != b.session { return a.session < b.session }
            return a.time != b.time ? a.time < b.time : a.kind < b.kind
        }
        var isSorted = true
        for index in events.indices.dropFirst() where precedes(events[index], events[index - 1]) {
            isSorted = false
            break
        }
        // The sort is stable, so that of equals the order of the batch stays.
        if !isSorted { events.sort(by: precedes) }
    }
}
