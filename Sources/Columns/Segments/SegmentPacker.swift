import Events

/// Packs what one day has of some batches.
struct SegmentPacker {
    private let day: Int64
    private var runs: [(part: SegmentBuilder.Part, range: Range<Int>)] = []
    private var events: [SegmentBuilder.Event] = []

    init(day: Int64) { self.day = day }

    /// What a batch has of the day: in order of sessions, within one in order of time.
    mutating func add(_ part: SegmentBuilder.Part, _ events: ArraySlice<SegmentBuilder.Event>) {
        let start = self.events.count
        self.events += events
        runs.append((part, start..<self.events.count))
    }

    /// - Parameters:
    ///   - sessions, names, subjects: what the events' indices refer to
    ///   - usedNames, usedSubjects: of the day before, get those of this one
    func pack(
        sessions: [UInt64], names: [SegmentName], subjects: SubjectTable,
        _ usedNames: inout Used, _ usedSubjects: inout Used
    ) -> Segment {
        usedNames.set(events.lazy.map { Int($0.name) })
        usedSubjects.set(events.lazy.filter { $0.subject >= 0 }.map { Int($0.subject) })
        var out = Columns()
        out.names.append(UInt64(usedNames.list.count))
        for name in usedNames.list {
            out.names.append(UInt64(bitPattern: names[name].row))
            out.names.append(names[name].subject.rawValue)
        }
        out.subjects.append(UInt64(usedSubjects.list.count + 1))
        // The first is none, for an event that should have one.
        out.subjects.append(0)
        for subject in usedSubjects.list {
            out.subjects.append(UInt64(subjects[subject].count))
            out.subjects.append(subjects[subject])
        }
        let nameWidth = PackedWriter.width(of: UInt64(max(usedNames.list.count, 1) - 1))
        let subjectWidth = PackedWriter.width(of: UInt64(usedSubjects.list.count))
        for (part, range) in runs {
            let first = events[range].reduce(Int64.max) { min($0, $1.time) }
            let last = events[range].reduce(Int64.min) { max($0, $1.time) }
            for number in [
                part.batch, part.device, part.resource, part.arrival,
                first &- day &* Segment.dayLength, last &- first, Int64(range.count),
            ] { out.parts.append(number) }
            addSessions(range, part, first: first, sessions, to: &out)
            for event in events[range] {
                out.names.append(UInt64(usedNames.indices[Int(event.name)]), width: nameWidth)
            }
            out.names.align()
            addSubjects(range, names, usedSubjects, width: subjectWidth, to: &out)
        }
        var parts = PackedWriter()
        out.parts.write(to: &parts)
        return Segment(
            day: day, events: Int64(events.count), parts: parts.bytes,
            sessions: Self.column(keys: out.keys, groups: out.groups.bytes), times: out.times.bytes,
            names: out.names.bytes,
            subjects: out.subjects.bytes)
    }

    /// The column of sessions.
    static func column(keys: [UInt64], groups: [UInt8]) -> [UInt8] {
        var sessions = PackedWriter()
        sessions.append(SegmentReader.currentForm)
        sessions.append(UInt64(keys.count))
        for key in keys { sessions.append(hash: key) }
        sessions.append(groups)
        return sessions.bytes
    }

    private struct Columns {
        /// In order of `SegmentReader.Head`.
        var parts = PackedTableWriter(columns: SegmentReader.Head.allCases.count)
        /// Of sessions.
        var keys: [UInt64] = []
        var groups = PackedWriter()
        var times = PackedWriter()
        var names = PackedWriter()
        var subjects = PackedWriter()
    }

    /// Groups of events of one session, and the gaps within them.
    private func addSessions(
        _ range: Range<Int>, _ part: SegmentBuilder.Part, first: Int64, _ sessions: [UInt64],
        to out: inout Columns
    ) {
        var groups: Int64 = 1
        var largest: Int64 = 0
        for index in range.dropFirst() {
            if events[index].session != events[index - 1].session {
                groups += 1
            } else {
                largest = max(largest, events[index].time &- events[index - 1].time)
            }
        }
        let width = PackedWriter.width(of: UInt64(largest))
        out.parts.append(groups)
        out.parts.append(Int64(width))
        var start = range.lowerBound
        while start < range.upperBound {
            let session = events[start].session
            var end = start + 1
            while end < range.upperBound, events[end].session == session {
                out.times.append(
                    UInt64(bitPattern: events[end].time &- events[end - 1].time), width: width)
                end += 1
            }
            let partStart = groups > 1 ? first : nil
            if session < 0 {
                GroupSummary.append(
                    0, count: end - start, from: events[start].time, to: events[end - 1].time,
                    ofPartFrom: partStart, to: &out.groups)
            } else {
                var summary = GroupSummary()
                for event in events[start..<end] { summary.add(time: event.time, kind: event.kind) }
                summary.append(to: &out.groups, count: end - start, ofPartFrom: partStart)
                out.keys.append(SessionKey.mixed(sessions[Int(session)], with: part.device))
            }
            start = end
        }
        out.times.align()
    }

    private func addSubjects(
        _ range: Range<Int>, _ names: [SegmentName], _ used: Used, width: UInt64,
        to out: inout Columns
    ) {
        var count: Int64 = 0
        var amounts = PackedWriter()
        for event in events[range] {
            let kind = names[Int(event.name)].subject
            if kind == .none { continue }
            count += 1
            out.subjects.append(
                event.subject < 0 ? 0 : UInt64(used.indices[Int(event.subject)]) + 1, width: width)
            if kind == .counter { amounts.append(signed: event.amount) }
        }
        out.subjects.align()
        out.subjects.append(amounts.bytes)
        out.parts.append(count)
        out.parts.append(Int64(amounts.bytes.count))
    }

    /// Which entries of a list a day uses, and their indices among these. One for all days: there may be as many of them
    /// as entries.
    struct Used {
        private(set) var list: [Int] = []
        /// −1 of those that are not used.
        private(set) var indices: [Int32]

        /// - Parameter count: how many entries there are
        init(of count: Int) { indices = [Int32](repeating: -1, count: count) }

        mutating func set(_ uses: some Sequence<Int>) {
            for use in list { indices[use] = -1 }
            list.removeAll(keepingCapacity: true)
            for use in uses where indices[use] < 0 {
                indices[use] = Int32(truncatingIfNeeded: list.count)
                list.append(use)
            }
        }
    }
}
