import Events

/// Events of one app and one UTC day, of some batches, packed in columns: what reports read instead of
/// rows (docs/design.md, Segments). It has of each event its batch's device and resource, its name,
/// time, session and, for the names that have one, its subject.
package struct Segment {
    /// Milliseconds of a day.
    package static let dayLength: Int64 = 86_400_000
    /// Events of one, where it is made of many at once; but for those of its last batch.
    package static let maxEvents = 65_536

    /// Days since 1970-01-01, UTC.
    package let day: Int64
    /// How many events it has.
    package let events: Int64
    /// A head a part: a part is what a batch has of the day.
    package let parts: [UInt8]
    /// Which events of a part are one session's: they stand together.
    package let sessions: [UInt8]
    /// Times, as gaps between the events of a session.
    package let times: [UInt8]
    /// Row ids of names, then which of these each event has.
    package let names: [UInt8]
    /// Texts of subjects, then which of these each event has that has one, and amounts.
    package let subjects: [UInt8]

    /// With its columns as they are stored.
    package init(
        day: Int64, events: Int64, parts: [UInt8], sessions: [UInt8], times: [UInt8],
        names: [UInt8],
        subjects: [UInt8]
    ) {
        self.day = day
        self.events = events
        self.parts = parts
        self.sessions = sessions
        self.times = times
        self.names = names
        self.subjects = subjects
    }

    /// Bytes that it takes.
    package var bytes: Int {
        parts.count + sessions.count + times.count + names.count + subjects.count
    }

    /// The day of a time, in days since 1970-01-01, UTC.
    @inline(__always)
    package static func day(of time: Int64) -> Int64 {
        let day = time / dayLength
        return time % dayLength < 0 ? day - 1 : day
    }

    /// All times of a day. Nil for one that no event can have: only a damaged row has it.
    package static func window(ofDay day: Int64) -> Range<Int64>? {
        let (start, isFar) = day.multipliedReportingOverflow(by: dayLength)
        let (end, isTooFar) = start.addingReportingOverflow(dayLength)
        return isFar || isTooFar ? nil : start..<end
    }

    /// The days that a stretch of time touches. An empty one is one of a single day too: nothing lies
    /// in it.
    package static func days(of window: Range<Int64>) -> ClosedRange<Int64> {
        day(of: window.lowerBound)...day(of: max(window.lowerBound, window.upperBound &- 1))
    }
}

/// A name of events as segments have it.
package struct SegmentName: Hashable {
    /// Row of `name`.
    let row: Int64
    /// What a segment keeps of the attributes.
    let subject: SubjectKind
    /// The attribute with the subject.
    package let key: StandardAttribute?
    /// What its events are to their session.
    package let kind: SessionEventKind

    package init(row: Int64, text: String) {
        let event = StandardEvent(rawValue: text)
        self.row = row
        subject = SubjectKind(event)
        key = subject == .none ? nil : event?.required
        kind = SessionEventKind(name: text)
    }
}

/// What a segment keeps of an event's attributes: the one that reports count by.
enum SubjectKind: UInt64 {
    /// Nothing.
    case none
    /// The content or the video.
    case text
    /// The counter, and by how much it went up.
    case counter

    /// Of events of a name.
    init(_ event: StandardEvent?) {
        switch event {
        case .usageCounter: self = .counter
        case .contentView, .contentComplete, .videoEnterFullscreen, .videoExitFullscreen:
            self = .text
        default: self = .none
        }
    }
}

/// What distinguishes sessions: 64 bits of a hash of the session's id, mixed with its device,
/// since devices may give the same ids. Two ids of one device with the same hash count as one session.
package enum SessionKey {
    /// The key from the hash of the id; and, since it is its own inverse, that hash from the key.
    package static func mixed(_ session: UInt64, with device: Int64) -> UInt64 {
        // SplitMix64: one bit of the row changes half of these.
        var bits = UInt64(bitPattern: device) &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ bits &>> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits &>> 27) &* 0x94d0_49bb_1331_11eb
        return session ^ bits ^ bits &>> 31
    }
}
