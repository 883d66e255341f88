import Query
import Reports
import StoreTestSupport
import Testing

@Suite("sessions")
struct SessionsReportTests {
    private let today = range("2026-03-28", "2026-03-28")
    private let timeout: Int64 = 1_800_000

    private func start(_ time: Int64, _ session: String = "s") -> SentEvent {
        SentEvent("session.start", time, session)
    }
    private func end(_ time: Int64, _ session: String = "s") -> SentEvent {
        SentEvent("session.end", time, session)
    }
    private func resume(_ time: Int64, _ session: String = "s") -> SentEvent {
        SentEvent("session.resume", time, session)
    }
    private func view(_ time: Int64, _ session: String? = "s") -> SentEvent {
        SentEvent("screen.view", time, session)
    }
    private func batch(_ device: String, _ id: String, _ events: SentEvent...) -> SentBatch {
        SentBatch(device: device, id: id, events: events)
    }

    @Test("gaps up to the timeout count, longer ones and those in the background do not")
    func durations() throws {
        let store = try TestStore([
            batch("a", "1", start(noon), view(noon + timeout), view(noon + 2 * timeout + 1)),
            batch("a", "2", end(noon + 2 * timeout + 1001), view(noon + 2 * timeout + 5001)),
        ])
        // timeout + 0 + 1000, and nothing between the end and the view.
        let line = try store.ask("sessions", today, now: noon + day).lines
        #expect(
            line == ["2026-03-28,1,1,1.000000,1801.000,1801.000,1801.000,1801.000,1801.000,1,0,0"])
    }

    @Test(
        "the last event says how it ended",
        arguments: [
            (["end"], 0, "1,0,0"), (["view"], 1_799_999, "0,0,1"), (["view"], 1_800_000, "0,1,0"),
            (["end", "resume"], 0, "0,0,1"), (["resume", "end"], 0, "0,0,1"),
            (["end", "view"], 0, "1,0,0"), (["view"], -5000, "0,0,1"),
        ])
    func states(names: [String], after: Int64, state: String) throws {
        // All in one millisecond: start, others, end, resume, whatever order they were sent in.
        let events = names.map { name in
            name == "end" ? end(noon) : name == "resume" ? resume(noon) : view(noon)
        }
        let store = try TestStore([SentBatch(device: "a", id: "1", events: events)])
        let line = try store.ask("sessions", today, now: noon + after).lines[0]
        #expect(line.hasSuffix("0.000," + state))
    }

    @Test("a session belongs to the day of its start, also when a late event moves that")
    func late() throws {
        let store = try TestStore([batch("a", "1", view(noon), end(noon + 1000))])
        #expect(try store.ask("sessions", today).lines[0].hasPrefix("2026-03-28,1,1,"))
        try store.store(batch("a", "0", start(noon - day)))
        #expect(try store.ask("sessions", today).lines[0].hasPrefix("2026-03-28,0,0,,,"))
        #expect(
            try store.ask("sessions", range("2026-03-27", "2026-03-27")).lines
                == ["2026-03-27,1,1,1.000000,1.000,1.000,1.000,1.000,1.000,1,0,0"])
    }

    @Test("filters see the resource of the first event's batch, and never cut a session")
    func filters() throws {
        var first = batch("a", "2", view(noon))
        first.resource = ["os.name": "iOS"]
        var second = batch("a", "1", view(noon), end(noon + 1000))
        second.resource = ["os.name": "Android"]
        let store = try TestStore([first, second])
        // Equal times and names: the smaller batch id is first.
        #expect(
            try store.ask("sessions", today + [("os.name", "iOS")]).lines[0].hasPrefix(
                "2026-03-28,0,"))
        #expect(
            try store.ask("sessions", today + [("os.name", "Android")]).lines
                == ["2026-03-28,1,1,1.000000,1.000,1.000,1.000,1.000,1.000,1,0,0"])
    }

    @Test("the whole range is one row, dated from, in which each device counts once")
    func whole() throws {
        let store = try TestStore([
            batch("a", "1", start(noon - 20 * day), end(noon - 20 * day + 1000)),
            batch("a", "2", start(noon, "t"), end(noon + 3000, "t")),
            batch("b", "1", start(noon), view(noon + 2000)),
            batch("b", "2", start(noon - 40 * day, "before"), start(noon + day, "after")),
        ])
        #expect(
            try store.ask(
                "sessions", range("2026-03-01", "2026-03-28") + [("interval", "all")],
                now: noon + 2 * day
            ).lines
                == ["2026-03-01,3,2,1.500000,2.000,2.000,3.000,3.000,6.000,2,1,0"])
    }

    @Test("shared devices' sessions count, their devices and sessions per device do not")
    func shared() throws {
        var many = batch("s", "1", start(noon, "x"), start(noon, "y"), start(noon, "z"))
        many.isShared = true
        let store = try TestStore([many, batch("a", "1", start(noon, "x"), start(noon, "y"))])
        #expect(
            try store.ask("sessions", today, now: noon + day).lines[0]
                .hasPrefix("2026-03-28,5,1,2.000000,0.000,"))
    }

    @Test("one id of two devices is two sessions, and ids that Unicode calls equal are two")
    func identity() throws {
        let store = try TestStore([
            batch("a", "1", start(noon, "é"), start(noon, "e\u{301}")),
            batch("b", "1", start(noon, "é")),
            batch("c", "1", view(noon, nil)),
        ])
        #expect(try store.ask("sessions", today).lines[0].hasPrefix("2026-03-28,3,2,1.500000,"))
    }

    @Test("percentiles are the nearest rank, the mean is rounded half up")
    func percentiles() throws {
        let store = try TestStore(
            (1...10).map { place in
                batch(
                    "a", "\(place)", start(noon, "\(place)"),
                    end(noon + Int64(place) * 1000 + 1, "\(place)"))
            } + [
                batch(
                    "a", "11", start(noon - day, "x"), end(noon - day + 1, "x"),
                    start(noon - day, "y"))
            ])
        let lines = try store.ask("sessions", range("2026-03-27", "2026-03-28"), now: noon + day)
            .lines
        #expect(lines[1] == "2026-03-28,10,1,10.000000,5.501,5.001,9.001,10.001,55.010,10,0,0")
        #expect(lines[0] == "2026-03-27,2,1,2.000000,0.001,0.000,0.001,0.001,0.001,1,1,0")
    }
}
