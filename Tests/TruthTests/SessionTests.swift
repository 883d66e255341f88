import Testing

@testable import Truth

/// docs/reports.md, Sessions, exactly.
@Suite("what sessions, lengths and hours must say")
struct SessionTests {
    /// All that a day says: sessions, devices, sessions_per_device, mean, p50, p90, p95, total, closed, other.
    private func day(_ devices: ToldDevice..., zone: String = "Europe/Paris") throws -> String {
        try #require(rows(.sessions(.all), of: devices, in: scope(zone: zone)).first)
    }

    @Test("a gap counts up to the timeout, and none between an end and a resume")
    func gaps() throws {
        let half = 30 * minute
        let device = ToldDevice([
            event("session.start", 0, "s"), event("p", half, "s"), event("p", 2 * half + 1, "s"),
            event("session.end", 2 * half + 10_001, "s"), event("p", 2 * half + 20_001, "s"),
            event("session.resume", 2 * half + 25_001, "s"), event("p", -5, nil),
        ])
        let seconds = "1810.000"
        #expect(
            try day(device)
                == "2026-03-28 1 1 1.000000 \(seconds) \(seconds) \(seconds) \(seconds) \(seconds) 0 1"
        )
    }

    @Test("within a millisecond starts come first, then others, then ends, then resumes")
    func order() throws {
        let tied = ToldDevice(
            [
                event("session.resume", 0, "s"), event("session.end", 0, "s"),
                event("session.start", 0, "s"), event("p", 0, "s"), event("p", 1000, "s"),
                event("session.end", 2000, "s"), event("p", 2000, "s"),
            ])
        // resume, p, p and end: a gap follows the resume, not the end.
        #expect(try day(tied).hasSuffix(" 2.000 1 0"))
    }

    @Test("ties of the first event go by the bytes of batch_id, then by index")
    func firstEvent() throws {
        func system(_ ids: [String]) throws -> String {
            let device = ToldDevice(
                [event("p", 0, "s"), event("p", 0, "s", batch: 1)], batches: ids,
                os: ["iOS", "Android"])
            let rows = try rows(.platforms(), of: [device], in: scope())
            return try #require(rows.first { $0.contains(" 1 0.000 ") })
        }
        #expect(try system(["b", "a"]).hasPrefix("Android "))
        #expect(try system(["Z", "a"]).hasPrefix("iOS "))
        let named = ToldDevice(
            [event("p", 0, "s"), event("session.start", 0, "s", batch: 1)], batches: ["a", "b"],
            os: ["iOS", "Android"])
        #expect(
            try rows(.platforms(), of: [named], in: scope()).contains {
                $0.hasPrefix("Android 1 0.500000 1 ")
            })
    }

    @Test("a session belongs to the day of its start, also where that has 23 hours")
    func midnight() throws {
        let scope = try scope("2026-03-28", "2026-03-30")
        // 12 h to midnight, 23 h to the next.
        let device = ToldDevice([
            event("session.start", 12 * hour - 1, "a"), event("session.end", 12 * hour + 999, "a"),
            event("session.start", 35 * hour - 1, "b"), event("session.start", 35 * hour, "c"),
        ])
        #expect(
            rows(.sessions(.day), of: [device], in: scope).map { $0.prefix(14) }
                == ["2026-03-28 1 1", "2026-03-29 1 1", "2026-03-30 1 1"])
        #expect(rows(.sessions(.day), of: [device], in: scope)[0].hasSuffix(" 1.000 1 0"))
        #expect(
            rows(.sessions(.week), of: [device], in: scope).map { $0.prefix(14) }
                == ["2026-03-23 2 1", "2026-03-30 1 1"])
    }

    @Test("shared devices have sessions, and count in no column of devices")
    func shared() throws {
        let events = [event("session.start", 0, "s"), event("session.end", 4000, "s")]
        let others = [
            event("session.start", 0, "a"), event("session.end", 2000, "a"),
            event("session.start", 3000, "b"), event("session.end", 3001, "b"),
        ]
        let both = [ToldDevice(events, isShared: true), ToldDevice(others)]
        #expect(
            try rows(.sessions(.all), of: both, in: scope())
                == ["2026-03-28 3 1 2.000000 2.000 2.000 4.000 4.000 6.001 3 0"])
        #expect(
            try rows(.lengths(), of: both, in: scope()).prefix(3)
                == ["0 3 2 0.666667 1", "3 10 1 0.333333 0", "10 30 0 0.000000 0"])
        #expect(
            try rows(.platforms(), of: both, in: scope())
                == ["iOS 1 1.000000 3 6.001 1.000000 1.000000 2.000000"])
        let hours = try rows(.hours(), of: both, in: scope())
        #expect(hours.count == 168 && hours[5 * 24 + 12] == "6 12 6 1 3")
    }

    @Test("a class of durations begins with its edge")
    func edges() throws {
        let devices = [2999, 3000, 9999, 3_600_000].map {
            ToldDevice([
                event("session.start", 0, "s"), event("p", min($0, 30 * minute), "s"),
                event("p", $0, "s"),
            ])
        }
        let counts = try rows(.lengths(), of: devices, in: scope())
            .map { $0.split(separator: " ")[2] }
        #expect(counts == ["1", "2", "0", "0", "0", "0", "0", "0", "1"])
    }

    @Test("percentiles are nearest-rank, and a mean is rounded half up")
    func percentiles() throws {
        let devices = (1...20).map { number in
            ToldDevice([
                event("session.start", 0, "s"), event("session.end", Int64(number) * 1000, "s"),
            ])
        }
        let row = try #require(rows(.sessions(.all), of: devices, in: scope()).first)
        #expect(row == "2026-03-28 20 20 1.000000 10.500 10.000 18.000 19.000 210.000 20 0")
        let short = [1, 2].map {
            ToldDevice([event("p", 0, "s"), event("p", Int64($0), "s")])
        }
        #expect(try rows(.sessions(.all), of: short, in: scope())[0].contains(" 0.002 0.001 "))
    }

    @Test("durations are as vague as the batches that the server moved make them")
    func slack() throws {
        let events = [
            event("session.start", 0, "s"), event("p", 10_000, "s"),
            event("p", 20_000, "s", batch: 1), event("p", 35_000, "s", batch: 1),
            event("session.end", 45_000, "s", batch: 2),
        ]
        let ids = ["a", "b", "c"]
        let exact = try day(ToldDevice(events, batches: ids))
        #expect(exact.hasSuffix("1.000000 45.000 45.000 45.000 45.000 45.000 1 0"))
        let once = try day(ToldDevice(events, batches: ids, corrected: [0]))
        #expect(once.contains(" 43.000..47.000 ") && once.hasSuffix(" 43.000..47.000 1 0"))
        #expect(
            try day(ToldDevice(events, batches: ids, corrected: [1])).contains(" 41.000..49.000 "))
        // Moved as a whole it is exact.
        let whole = ToldDevice(
            events.map { event($0.name, $0.at, "s") }, batches: ["a"], corrected: [0])
        #expect(try day(whole) == exact)
        let close = ToldDevice(
            [event("session.start", 0, "s"), event("p", 3500, "s", batch: 1)], batches: ids,
            corrected: [1])
        #expect(
            try rows(.lengths(), of: [close], in: scope()).prefix(2) == [
                "0 3 0..1 0.000000..1.000000 0..1", "3 10 0..1 0.000000..1.000000 0..1",
            ])
        let platforms = [
            close, ToldDevice([event("p", 0, "s"), event("p", 10_000, "s")], os: ["Android"]),
        ]
        #expect(
            try rows(.platforms(), of: platforms, in: scope()) == [
                "Android 1 0.500000 1 10.000 0.645161..0.869565 1.290323..1.739130 1.000000",
                "iOS 1 0.500000 1 1.500..5.500 0.130435..0.354839 0.260870..0.709677 1.000000",
            ])
    }
}
