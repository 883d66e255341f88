import Testing

@testable import Simulation

@Suite("periods of simulations")
struct SimulationPeriodTests {
    private static let now: Int64 = 1_795_262_400_000
    private static let today: Int64 = 1_795_219_200_000

    @Test(
        "a period ends with the given day, or with the last whole one",
        arguments: [
            (nil, 0), ("2026-11-21", 0), ("2026-11-20", 0), ("2026-11-19", 1), ("2026-10-21", 30),
        ] as [(String?, Int64)])
    func until(date: String?, daysBefore: Int64) throws {
        let period = try SimulationPeriod(days: 3, until: date, now: Self.now)
        #expect(period.end == Self.today - daysBefore * 86_400_000)
        #expect(period.start == period.end - 3 * 86_400_000)
        #expect(period.days == 3)
    }

    @Test("a period that ends within a day holds the part of it that has been")
    func part() throws {
        let period = try SimulationPeriod(days: 2, end: Self.now, now: Self.now)
        #expect(period.start == Self.today - 86_400_000)
        #expect(period.end == Self.now)
    }

    @Test(
        "dates are those of the calendar",
        arguments: [
            ("1970-01-01", 0), ("1972-02-29", 789), ("2000-03-01", 11_017), ("2026-11-21", 20_778),
            ("2100-03-01", 47_541),
            ("2026-02-29", nil), ("2100-02-29", nil), ("2026-13-01", nil), ("2026-00-01", nil),
            ("2026-01-00", nil), ("2026-1-01", nil), ("1969-12-31", nil), ("", nil),
            ("2026/11/21", nil), ("2026-11-2x", nil), ("２026-1-1", nil),
        ] as [(String, Int64?)])
    func dates(text: String, number: Int64?) {
        #expect(SimulationPeriod.dayNumber(of: text) == number)
    }

    @Test(
        "what no server would take is refused",
        arguments: [
            (0, nil), (-1, nil), (401, nil), (400, nil), (1, "2026-11-22"), (1, "tomorrow"),
            (30, "2025-10-21"), (1, "1970-01-01"),
        ] as [(Int, String?)])
    func refused(days: Int, until: String?) {
        #expect(throws: SimulationFailure.self) {
            try SimulationPeriod(days: days, until: until, now: Self.now)
        }
    }

    @Test("the oldest day a server takes is taken")
    func reach() throws {
        #expect(throws: Never.self) {
            try SimulationPeriod(days: 399, until: nil, now: Self.now)
        }
    }

    @Test("there are devices, but not without end", arguments: [0, -1, 1_000_001])
    func devices(count: Int) throws {
        let period = try SimulationPeriod(days: 1, until: nil, now: Self.now)
        #expect(throws: SimulationFailure.self) {
            try Population(devices: count, period: period, seed: 1)
        }
    }
}
