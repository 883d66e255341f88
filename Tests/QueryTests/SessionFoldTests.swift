import Events
import TestSupport
import Testing

@testable import Query

@Suite("Sessions from events")
struct SessionFoldTests {
    private static let minute: Int64 = 60_000

    /// A session by hand: events as minutes and kinds, and what comes of it in minutes.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let events: [(Int64, SessionEventKind)]
        let start: Int64
        let duration: Int64
        let last: Int64
        let isStartInferred: Bool
        let isClosed: Bool

        init(
            _ name: String, _ events: [(Int64, SessionEventKind)], start: Int64, duration: Int64,
            last: Int64, inferred: Bool = false, closed: Bool
        ) {
            testDescription = name
            self.events = events
            self.start = start
            self.duration = duration
            self.last = last
            isStartInferred = inferred
            isClosed = closed
        }
    }

    private static let cases: [Case] = [
        Case(
            "start and end", [(0, .start), (10, .end)], start: 0, duration: 10, last: 10,
            closed: true),
        Case("only a start", [(5, .start)], start: 5, duration: 0, last: 5, closed: false),
        Case(
            "only an end", [(5, .end)], start: 5, duration: 0, last: 5, inferred: true, closed: true
        ),
        Case(
            "events without a start", [(1, .other), (4, .other)], start: 1, duration: 3, last: 4,
            inferred: true, closed: false),
        Case(
            "time in the background does not count",
            [(0, .start), (10, .end), (25, .resume), (30, .other), (35, .end)], start: 0,
            duration: 20, last: 35, closed: true),
        Case(
            "what comes in the background neither counts nor opens it again",
            [(0, .start), (10, .end), (12, .other), (15, .other)], start: 0, duration: 10, last: 15,
            closed: true),
        Case(
            "a start opens it again",
            [(0, .start), (10, .end), (12, .other), (15, .start), (16, .other)],
            start: 0, duration: 11, last: 16, closed: false),
        Case(
            "an end that comes first is an end",
            [(0, .end), (5, .other), (8, .resume), (9, .other)],
            start: 0, duration: 1, last: 9, inferred: true, closed: false),
        Case(
            "an end and others of one millisecond",
            [(0, .start), (5, .other), (5, .end), (9, .other)],
            start: 0, duration: 5, last: 9, closed: true),
        Case(
            "a gap of just the timeout counts", [(0, .start), (30, .other), (31, .end)], start: 0,
            duration: 31, last: 31, closed: true),
        Case(
            "a longer gap does not", [(0, .start), (31, .other), (32, .end)], start: 0, duration: 1,
            last: 32, closed: true),
        Case(
            "a resume without an end: the gap counts", [(0, .start), (7, .resume), (9, .end)],
            start: 0, duration: 9, last: 9, closed: true),
        Case(
            "two ends", [(0, .start), (5, .end), (8, .end)], start: 0, duration: 5, last: 8,
            closed: true),
        Case(
            "a start in the middle", [(0, .other), (5, .start), (6, .end)], start: 0, duration: 6,
            last: 6, closed: true),
        Case(
            "end and resume within one millisecond",
            [(0, .start), (5, .end), (5, .resume), (9, .end)],
            start: 0, duration: 9, last: 9, closed: true),
        Case(
            "before 1970", [(-20, .start), (-5, .end)], start: -20, duration: 15, last: -5,
            closed: true),
    ]

    @Test("come out as by hand", arguments: cases)
    func byHand(_ example: Case) {
        var fold = SessionFold(timeout: 30 * Self.minute)
        for (time, kind) in example.events { fold.add(time: time * Self.minute, kind: kind) }
        #expect(fold.start == example.start * Self.minute)
        #expect(fold.duration == example.duration * Self.minute)
        #expect(fold.last == example.last * Self.minute)
        #expect(fold.count == example.events.count)
        #expect(fold.isStartInferred == example.isStartInferred)
        #expect((fold.state(at: fold.last) == .closed) == example.isClosed)
    }

    @Test("parts of a session add up to the whole, wherever it is divided", arguments: 0..<16)
    func parts(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<200 {
            var time: Int64 = 0
            let events = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                // The next part begins later.
                time += Int64.random(in: 1...1500, using: &random)
                return (
                    time: time,
                    kind: SessionEventKind.allCases.randomElement(using: &random) ?? .other
                )
            }
            var whole = SessionFold(timeout: 1000)
            for event in events { whole.add(time: event.time, kind: event.kind) }
            var sum = SessionFold(timeout: 1000)
            var part = SessionFold(timeout: 1000)
            for event in events {
                part.add(time: event.time, kind: event.kind)
                guard Bool.random(using: &random) else { continue }
                sum.add(part)
                part = SessionFold(timeout: 1000)
            }
            sum.add(part)
            #expect(sum == whole, "\(events)")
        }
    }

    @Test("a gap one millisecond longer than the timeout does not count")
    func gapByMilliseconds() {
        var fold = SessionFold(timeout: 1_000)
        fold.add(time: 0, kind: .start)
        fold.add(time: 1_000, kind: .other)
        fold.add(time: 2_001, kind: .other)
        #expect(fold.duration == 1_000)
    }

    @Test("is open while less than the timeout has passed since its last event")
    func state() {
        var fold = SessionFold(timeout: 1_000)
        fold.add(time: 5_000, kind: .start)
        #expect(fold.state(at: 4_000) == .open)
        #expect(fold.state(at: 5_999) == .open)
        #expect(fold.state(at: 6_000) == .inferred)
        #expect(fold.state(at: .min) == .open)
        #expect(fold.state(at: .max) == .inferred)
        fold.add(time: 5_500, kind: .end)
        #expect(fold.state(at: 5_500) == .closed)
        #expect(fold.state(at: .max) == .closed)
    }

    @Test("kinds go by the name")
    func kinds() {
        #expect(SessionEventKind(name: "session.start") == .start)
        #expect(SessionEventKind(name: "session.end") == .end)
        #expect(SessionEventKind(name: "session.resume") == .resume)
        #expect(SessionEventKind(name: "screen.view") == .other)
        #expect(SessionEventKind(name: "session.started") == .other)
    }
}
