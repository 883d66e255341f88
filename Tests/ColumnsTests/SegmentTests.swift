import Events
import Glibc
import TestSupport
import Testing

@testable import Columns

@Suite("Segments")
struct SegmentTests {
    /// What a segment says of an event.
    private struct Told: Hashable, Comparable {
        var batch, device, resource, arrival, time, name: Int64
        var session: UInt64?
        var subject: String
        var amount: Int64

        static func < (a: Told, b: Told) -> Bool { "\(a)" < "\(b)" }
    }

    private static let view = SegmentName(row: 5, text: "screen.view")
    private static let counter = SegmentName(row: 900, text: "usage.counter")
    private static let content = SegmentName(row: 1 << 40, text: "content.view")

    private static let start = SegmentName(row: 7, text: "session.start")
    private static let end = SegmentName(row: 8, text: "session.end")
    private static let resume = SegmentName(row: 9, text: "session.resume")

    /// All that segments say, by reading all columns.
    private func told(_ segments: [Segment]) throws -> [Told] {
        var reader = SegmentReader([.times, .names, .subjects])
        var out: [Told] = []
        for segment in segments {
            reader.begin(segment)
            var count: Int64 = 0
            var heads: [[Int64]] = []
            var sessions: [ToldSession] = []
            while reader.next() {
                heads.append([reader.device, reader.resource, reader.first, reader.last])
                sessions += Self.sessions(&reader)
                expectCounted(&reader)
                reader.readTimes()
                reader.readNames()
                reader.readSubjects()
                let isBroken = reader.isBroken
                try #require(!isBroken)
                var place = -1
                var sessions = [UInt64?](repeating: nil, count: reader.count)
                for group in reader.groups {
                    #expect(Self.summary(of: group.range, reader) == Self.summary(of: group))
                    let device = reader.device
                    let session = group.session.map { SessionKey.mixed($0, with: device) }
                    for at in group.range { sessions[at] = session }
                }
                for at in 0..<reader.count {
                    let name = Int(reader.names[at])
                    if reader.hasSubject(name) { place += 1 }
                    let subject =
                        reader.hasSubject(name)
                        ? reader.subject(Int(reader.subjectCodes[place])) : []
                    let day = Segment.day(of: reader.times[at])
                    #expect(day == segment.day)
                    let span = reader.first...reader.last
                    #expect(span.contains(reader.times[at]))
                    out.append(
                        Told(
                            batch: reader.batch, device: reader.device, resource: reader.resource,
                            arrival: reader.arrival, time: reader.times[at],
                            name: reader.nameRows[name], session: sessions[at],
                            subject: String(decoding: subject, as: UTF8.self),
                            amount: reader.hasSubject(name) ? reader.amounts[place] : 1))
                    count += 1
                }
                let (first, last) = (reader.first, reader.last)
                let times = reader.times[..<reader.count]
                #expect(times.min() == first && times.max() == last)
                expectFound([], &reader)
                expectFound([Self.counter.row], &reader)
                expectFound([Self.view.row, Self.content.row], &reader)
                expectFound(Set(reader.nameRows), &reader)
            }
            expectHeads(heads, &reader)
            expectSessions(sessions, &reader)
            let isBroken = reader.isBroken
            #expect(!isBroken && count == segment.events)
        }
        return out.sorted()
    }

    /// All heads at once are those of each part; of a stretch of time, those of parts that touch it.
    private func expectHeads(_ wanted: [[Int64]], _ reader: inout SegmentReader) {
        var found: [PartHead] = []
        let times = wanted.flatMap { [$0[2], $0[3], $0[3] &+ 1] }
        for from in [.min] + times {
            for to in [.max] + times where from <= to {
                reader.readHeads(within: from..<to, into: &found)
                #expect(
                    found.map { [$0.device, $0.resource, $0.first, $0.last] }
                        == wanted.filter { $0[2] < to && $0[3] >= from })
            }
        }
    }

    /// A session in a part, in numbers, and the part's span.
    private struct ToldSession {
        let numbers: [Int64]
        let flags: [Bool]
        let part: Range<Int64>
        /// By the longest gap that counts.
        let needsEvents: [Int64: Bool]
    }

    @Test("a text counts once for each day that has it: so much is written at once")
    func heavy() {
        let text = Array("\"\(String(repeating: "x", count: 1_022))\"".utf8)
        func builder(days: Int64) -> SegmentBuilder {
            var builder = SegmentBuilder()
            builder.begin(batch: 1, device: 1, resource: 1, arrival: 0)
            let name = builder.index(of: Self.content)
            for event in 0..<Int64(3_000) {
                builder.add(
                    name, time: event % days * Segment.dayLength, session: nil, subject: text.span,
                    amount: 1)
            }
            return builder
        }
        #expect(!builder(days: 1).isHeavy)
        #expect(builder(days: 2_048).isHeavy)
        var emptied = builder(days: 3_000)
        emptied.removeAll()
        #expect(!emptied.isHeavy)
        #expect(builder(days: 3_000).build().count == 3_000)
    }

    /// Milliseconds.
    private static let gaps: [Int64] = [0, 1000, 3_600_000]

    /// Those of the current part.
    private static func sessions(_ reader: inout SegmentReader) -> [ToldSession] {
        var index = Int64(reader.firstSession)
        var needsEvents: [Int64: Bool] = [:]
        for gap in Self.gaps { needsEvents[gap] = reader.needsEvents(gap: gap) }
        let (device, resource) = (reader.device, reader.resource)
        let part = reader.first..<reader.last + 1
        var told: [ToldSession] = []
        for group in reader.groups where group.session != nil {
            told.append(
                ToldSession(
                    numbers: [
                        device, resource, group.first, group.last, group.silence,
                        group.lead, Int64(group.range.count), index,
                    ], flags: [group.hasStart, group.hasTransition, group.isInBackground],
                    part: part, needsEvents: needsEvents))
            index += 1
        }
        return told
    }

    /// All sessions at once are those of each part; of a stretch of time, those of parts that touch it, and
    /// that do not touch another.
    private func expectSessions(_ all: [ToldSession], _ reader: inout SegmentReader) {
        var found: [SessionHead] = []
        let times = all.prefix(3).flatMap { [$0.part.lowerBound, $0.part.upperBound] }
        let stretches = ([.min] + times).flatMap { from in
            ([.max] + times).compactMap { $0 >= from ? from..<$0 : nil }
        }
        for stretch in stretches {
            for excluded in [nil, times.min().map { $0..<$0 + 1 }] {
                for gap in Self.gaps {
                    let count = reader.readSessions(
                        within: stretch, except: excluded, gap: gap, into: &found)
                    let wanted = all.filter { told in
                        told.part.lowerBound < stretch.upperBound
                            && told.part.upperBound > stretch.lowerBound
                            && !(excluded.map { told.part.overlaps($0) } ?? false)
                    }
                    let numbers = found[..<count].map { head in
                        [
                            head.device, head.resource, head.first,
                            head.first + Int64(head.length), Int64(head.silence),
                            Int64(head.lead), Int64(head.count), Int64(head.session),
                        ]
                    }
                    #expect(numbers == wanted.map(\.numbers))
                    #expect(
                        found[..<count].map {
                            [$0.hasStart, $0.hasTransition, $0.isInBackground, $0.needsEvents]
                        } == wanted.map { $0.flags + [$0.needsEvents[gap] ?? false] })
                }
            }
        }
    }

    /// Counting a part's names says how often each comes.
    private func expectCounted(_ reader: inout SegmentReader) {
        var counts = NameCounts()
        var found: [Int: Int] = [:]
        // Again, over what is there of before.
        for _ in 0..<2 {
            found = [:]
            reader.countNames(into: &counts)
            counts.forEach { found[$0, default: 0] += $1 }
        }
        reader.readNames()
        var wanted: [Int: Int] = [:]
        for name in reader.names { wanted[Int(name), default: 0] += 1 }
        #expect(found == wanted)
    }

    /// What is found by names is what reading all of the part says of them.
    private func expectFound(_ names: Set<Int64>, _ reader: inout SegmentReader) {
        reader.look { names.contains($0) }
        var found: [SegmentReader.Found] = []
        let count = reader.find(into: &found)
        found.removeLast(found.count - count)
        var (subject, number) = (0, 0)
        for place in 0..<reader.count {
            let name = Int(reader.names[place])
            let (row, hasSubject) = (reader.nameRows[name], reader.hasSubject(name))
            defer { if hasSubject { subject += 1 } }
            guard names.contains(row), number < found.count else { continue }
            let event = found[number]
            number += 1
            #expect(Int(event.index) == place && Int(event.name) == name)
            let amount = reader.amount(event)
            #expect(amount == (hasSubject ? reader.amounts[subject] : 1))
            if !hasSubject { continue }
            let code = reader.subjectCode(event)
            #expect(code == Int(reader.subjectCodes[subject]))
        }
        let wanted = (0..<reader.count).count {
            names.contains(reader.nameRows[Int(reader.names[$0])])
        }
        #expect(number == found.count && number == wanted)
    }

    /// First and last time, whether a session begins, is in the background at last, for how long so far, and how
    /// long it lasts until it says.
    private static func summary(of group: SegmentReader.Group) -> [Int64] {
        [
            group.first, group.last, group.hasStart ? 1 : 0, group.isInBackground ? 1 : 0,
            group.silence, group.hasTransition ? 1 : 0, group.lead,
        ]
    }

    /// The same from the events, of a group of a session.
    private static func summary(
        of range: Range<Int>, _ reader: borrowing SegmentReader
    ) -> [Int64] {
        let times = Array(reader.times[range])
        let kinds = range.map { kind(reader.nameRows[Int(reader.names[$0])]) }
        let isSession = reader.groups.first { $0.range == range }?.session != nil
        if !isSession { return [times[0], times[times.count - 1], 0, 0, 0, 0, 0] }
        let telling = kinds.indices.filter { kinds[$0] != .other }
        var silence: Int64 = 0
        for place in kinds.indices.dropLast() {
            guard let last = telling.last(where: { $0 <= place }), kinds[last] == .end else {
                continue
            }
            silence += times[place + 1] - times[place]
        }
        return [
            times[0], times[times.count - 1], kinds.contains(.start) ? 1 : 0,
            telling.last.map { kinds[$0] == .end } == true ? 1 : 0, silence,
            telling.isEmpty ? 0 : 1, telling.first.map { times[$0] - times[0] } ?? 0,
        ]
    }

    private static func kind(_ row: Int64) -> SessionEventKind {
        switch row {
        case start.row: .start
        case end.row: .end
        case resume.row: .resume
        default: .other
        }
    }

    @Test("say of every event what was put in", arguments: 0..<40)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var builder = SegmentBuilder()
        var put: [Told] = []
        let spread: [Int64] = [0, 1, 50_000, 3 * Segment.dayLength]
        let names = [Self.view, Self.counter, Self.content, Self.start, Self.end, Self.resume]
        var batch = Int64.random(in: 0...9, using: &random)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            batch += Int64.random(in: 1...100, using: &random)
            let device = Int64.random(in: 1...(1 << 33), using: &random)
            let resource = Int64.random(in: 1...300, using: &random)
            let arrival = Int64.random(in: -5...(1 << 41), using: &random)
            let around = Int64.random(in: -(1 << 41)...(1 << 41), using: &random)
            let wide = spread.randomElement(using: &random) ?? 0
            // Those up to 63 take an byte.
            let most: Int64 = Bool.random(using: &random) ? 63 : 1 << 53
            builder.begin(batch: batch, device: device, resource: resource, arrival: arrival)
            for _ in 0..<[0, 1, 3, 70].randomElement(using: &random)! {
                let name = names.randomElement(using: &random)!
                let session: UInt64? =
                    Bool.random(using: &random) ? UInt64.random(in: 0...3, using: &random) : nil
                let time = around + Int64.random(in: 0...wide, using: &random)
                let text =
                    name.subject == .none || Int.random(in: 0...9, using: &random) == 0
                    ? "" : "\"s\(Int.random(in: 0...40, using: &random))\""
                let amount =
                    name == Self.counter ? Int64.random(in: 1...most, using: &random) : 1
                let place = builder.index(of: name)
                let bytes = Array(text.utf8)
                if text.isEmpty {
                    builder.add(place, time: time, session: session, subject: nil, amount: amount)
                } else {
                    builder.add(
                        place, time: time, session: session, subject: bytes.span, amount: amount)
                }
                put.append(
                    Told(
                        batch: batch, device: device, resource: resource, arrival: arrival,
                        time: time, name: name.row, session: session, subject: text,
                        amount: amount))
            }
        }
        let segments = builder.build()
        #expect(Set(segments.map(\.day)).count == segments.count)
        #expect(try told(segments) == put.sorted())
    }

    /// A batch of so many sessions, one event each, in turn so many times; the session of each event.
    private func build(sessions: Int, rounds: Int) throws -> [UInt64?] {
        var builder = SegmentBuilder()
        builder.begin(batch: 1, device: 1, resource: 1, arrival: 0)
        let name = builder.index(of: Self.view)
        for event in 0..<sessions * rounds {
            builder.add(
                name, time: Int64(event), session: UInt64(event % sessions) &* 0x9e37_79b9,
                subject: nil, amount: 1)
        }
        return try told(builder.build()).sorted { $0.time < $1.time }.map(\.session)
    }

    @Test("know the sessions of a batch again however many it has", arguments: [7, 8, 9, 10, 40])
    func manySessions(_ count: Int) throws {
        let found = try build(sessions: count, rounds: 3)
        #expect(found == (0..<3 * count).map { UInt64($0 % count) &* 0x9e37_79b9 })
    }

    /// CPU time of this thread, nanoseconds, of placing the sessions of a batch with so many events, each
    /// of a session of its own.
    private func placing(_ count: Int) -> Int {
        var times: [Int] = []
        for _ in 0..<3 {
            let begin = Self.threadTime
            var builder = SegmentBuilder()
            builder.begin(batch: 1, device: 1, resource: 1, arrival: 0)
            let name = builder.index(of: Self.view)
            for event in 0..<count {
                builder.add(
                    name, time: 0, session: UInt64(event) &* 0x9e37_79b9_7f4a_7c15, subject: nil,
                    amount: 1)
            }
            times.append(Self.threadTime - begin)
            #expect(builder.count == count)
        }
        return times.min() ?? 0
    }

    private static var threadTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test("place a session in the same time, however many the batch has")
    func placingIsLinear() {
        // A batch may have 5,000 events. Eight times as many take eight times as long, not 64.
        #expect(placing(40_000) < 24 * placing(5_000))
    }

    @Test(
        "that are damaged are told as such, or read as something, but never trap",
        arguments: 0..<300)
    func damage(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var builder = SegmentBuilder()
        for batch in 1...3 {
            builder.begin(batch: Int64(batch), device: 1, resource: 1, arrival: 100)
            for time in 0..<20 {
                let name = [Self.view, Self.counter, Self.content][time % 3]
                let bytes = Array("\"a\(time)\"".utf8)
                builder.add(
                    builder.index(of: name), time: Int64(time * time), session: UInt64(time / 7),
                    subject: bytes.span, amount: 3)
            }
        }
        guard let whole = builder.build().first else { return }
        var columns = [whole.parts, whole.sessions, whole.times, whole.names, whole.subjects]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let column = Int.random(in: 0..<5, using: &random)
            if columns[column].isEmpty { continue }
            let place = Int.random(in: 0..<columns[column].count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: columns[column].removeSubrange(place...)
            case 1: columns[column][place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            default: columns[column].insert(.random(in: 0...255, using: &random), at: place)
            }
        }
        var reader = SegmentReader([.times, .names, .subjects])
        let segment = Segment(
            day: 0, events: 60, parts: columns[0], sessions: columns[1], times: columns[2],
            names: columns[3], subjects: columns[4])
        reader.begin(segment)
        var parts = 0
        while reader.next() {
            reader.readTimes()
            reader.readNames()
            reader.readSubjects()
            if reader.isBroken { break }
            parts += 1
            for code in reader.subjectCodes { _ = reader.subject(Int(code)) }
            for name in reader.names { _ = reader.nameRows[Int(name)] }
            for group in reader.groups { _ = reader.times[group.range] }
            // What reports take for granted.
            let kinds = reader.kinds
            let withSubject = reader.names.count { kinds[Int($0)] != .none }
            let told = [reader.subjectCodes.count, reader.amounts.count]
            #expect(told == [withSubject, withSubject])
            let (first, last) = (reader.first, reader.last)
            #expect(0 <= first && first <= last && last < Segment.dayLength)
            let times = reader.times[..<reader.count]
            #expect(times.allSatisfy { first <= $0 && $0 <= last })
        }
        #expect(parts < 1000)
        reader.begin(segment)
        var heads: [SessionHead] = []
        let count = reader.readSessions(
            within: .min ..< .max, except: nil, gap: 0, into: &heads)
        for head in heads[..<count] {
            _ = reader.sessions[Int(head.session)]
            let last = head.first + Int64(head.length)
            #expect(0 <= head.first && head.first <= last && last < Segment.dayLength)
            #expect(head.silence >= 0 && head.lead >= 0 && head.count > 0)
            #expect(head.silence + head.lead <= head.length)
        }
        reader.begin(segment)
        reader.look { $0 != Self.content.row }
        while reader.next() {
            var found: [SegmentReader.Found] = []
            let count = reader.find(into: &found)
            for event in found.prefix(count) where reader.hasSubject(Int(event.name)) {
                _ = reader.subject(reader.subjectCode(event))
                _ = reader.amount(event)
            }
        }
    }

    @Test("days are those of UTC, before 1970 too")
    func days() {
        #expect(Segment.day(of: -1) == -1)
        #expect(Segment.day(of: 0) == 0)
        #expect(Segment.day(of: -Segment.dayLength) == -1)
        #expect(Segment.day(of: -Segment.dayLength - 1) == -2)
        #expect(Segment.day(of: Segment.dayLength) == 1)
    }
}
