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

    /// - Parameters: what the events' places stand for.
    func pack(sessions: [UInt64], names: [SegmentName], subjects: SubjectTable) -> Segment {
        let usedNames = Used(events.lazy.map { Int($0.name) }, of: names.count)
        let usedSubjects = Used(
            events.lazy.filter { $0.subject >= 0 }.map { Int($0.subject) }, of: subjects.count)
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
        out.parts.append(UInt64(runs.count))
        var batch: Int64 = 0
        var arrival: Int64 = 0
        for (part, range) in runs {
            let first = events[range].reduce(Int64.max) { min($0, $1.time) }
            let last = events[range].reduce(Int64.min) { max($0, $1.time) }
            out.parts.append(signed: part.batch &- batch)
            out.parts.append(UInt64(bitPattern: part.device))
            out.parts.append(UInt64(bitPattern: part.resource))
            out.parts.append(signed: part.arrival &- arrival)
            (batch, arrival) = (part.batch, part.arrival)
            out.parts.append(UInt64(range.count))
            out.parts.append(UInt64(bitPattern: first &- day &* Segment.dayLength))
            out.parts.append(UInt64(bitPattern: last &- first))
            addSessions(range, first: first, sessions, to: &out)
            for event in events[range] {
                out.names.append(UInt64(usedNames.places[Int(event.name)]), width: nameWidth)
            }
            out.names.align()
            addSubjects(range, names, usedSubjects, width: subjectWidth, to: &out)
        }
        return Segment(
            day: day, events: Int64(events.count), parts: out.parts.octets,
            sessions: out.sessions.octets, times: out.times.octets, names: out.names.octets,
            subjects: out.subjects.octets)
    }

    private struct Columns {
        var parts = PackedWriter()
        var sessions = PackedWriter()
        var times = PackedWriter()
        var names = PackedWriter()
        var subjects = PackedWriter()
    }

    /// Groups of events of one session, and the gaps within them.
    private func addSessions(
        _ range: Range<Int>, first: Int64, _ sessions: [UInt64], to out: inout Columns
    ) {
        var groups: UInt64 = 1
        var largest: Int64 = 0
        for place in range.dropFirst() {
            if events[place].session != events[place - 1].session {
                groups += 1
            } else {
                largest = max(largest, events[place].time &- events[place - 1].time)
            }
        }
        let width = PackedWriter.width(of: UInt64(largest))
        out.parts.append(groups)
        out.parts.append(width)
        var start = range.lowerBound
        while start < range.upperBound {
            let session = events[start].session
            var end = start + 1
            while end < range.upperBound, events[end].session == session {
                out.times.append(
                    UInt64(bitPattern: events[end].time &- events[end - 1].time), width: width)
                end += 1
            }
            out.sessions.append(UInt64(end - start) << 1 | (session < 0 ? 0 : 1))
            out.sessions.append(UInt64(bitPattern: events[start].time &- first))
            if session >= 0 { out.sessions.append(hash: sessions[Int(session)]) }
            start = end
        }
        out.times.align()
    }

    private func addSubjects(
        _ range: Range<Int>, _ names: [SegmentName], _ used: Used, width: UInt64,
        to out: inout Columns
    ) {
        var count: UInt64 = 0
        var amounts = PackedWriter()
        for event in events[range] {
            let kind = names[Int(event.name)].subject
            if kind == .none { continue }
            count += 1
            out.subjects.append(
                event.subject < 0 ? 0 : UInt64(used.places[Int(event.subject)]) + 1, width: width)
            if kind == .counter { amounts.append(signed: event.amount) }
        }
        out.subjects.align()
        out.subjects.append(amounts.octets)
        out.parts.append(count)
        out.parts.append(UInt64(amounts.octets.count))
    }

    /// Which entries of a list are in use, and their places among these.
    private struct Used {
        var list: [Int] = []
        var places: [Int32]

        init(_ uses: some Sequence<Int>, of count: Int) {
            places = [Int32](repeating: -1, count: count)
            for use in uses where places[use] < 0 {
                places[use] = Int32(truncatingIfNeeded: list.count)
                list.append(use)
            }
        }
    }
}
