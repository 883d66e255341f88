import Testing

@testable import Service

/// docs/operation.md, Life of the process.
@Suite("the clock")
struct ArrivalClockTests {
    @Test("a clock before the program's day is not believed")
    func buildDate() {
        let clock = ArrivalClock(newest: 0)
        #expect(!clock.isPlausible(BuildInfo.date - 1))
        #expect(clock.isPlausible(BuildInfo.date))
    }

    @Test("a clock more than a day behind the newest arrival is not believed")
    func newestArrival() {
        let newest = BuildInfo.date + 10 * ArrivalClock.tolerance
        let clock = ArrivalClock(newest: newest)
        #expect(clock.isPlausible(newest - ArrivalClock.tolerance))
        #expect(!clock.isPlausible(newest - ArrivalClock.tolerance - 1))
        clock.note(newest + 5)
        clock.note(newest)
        #expect(!clock.isPlausible(newest + 4 - ArrivalClock.tolerance))
        #expect(clock.isPlausible(newest + 5 - ArrivalClock.tolerance))
    }
}
