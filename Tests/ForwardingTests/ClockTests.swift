import Testing

@testable import Forwarding

@Suite("the engine's clock, of which whole seconds are known")
struct ClockTests {
    @Test(
        "answers narrow the difference down, and never past it", arguments: [-3_700, 0, 250, 9_999])
    func narrows(offset: Int64) {
        var clock = EngineClock()
        #expect(clock.surely(5) == nil && clock.offset == nil)
        var now: Int64 = 1_700_000_000_000
        for step in 0..<200 {
            let way = Int64(step % 7)
            clock.learn(
                seconds: (now + way / 2 - offset) / 1000, sent: now, received: now + way)
            // The engine's clock shows now − offset: no later moment is said to have come.
            let sure = clock.surely(now) ?? .max
            #expect(sure <= now - offset)
            if step > 100 { #expect(now - offset - sure < 120) }
            now += 1_013
        }
        if offset.magnitude > 1000 {
            #expect((clock.offset ?? 0).magnitude >= offset.magnitude - 120)
            #expect((clock.offset ?? 0).magnitude <= offset.magnitude)
        }
    }

    @Test("a clock that was set is believed anew")
    func set() {
        var clock = EngineClock()
        for second in 0..<50 {
            let now = 1_700_000_000_000 + Int64(second) * 1_100
            clock.learn(seconds: now / 1000, sent: now, received: now + 1)
        }
        let now: Int64 = 1_700_000_100_000
        clock.learn(seconds: now / 1000 - 3_600, sent: now, received: now + 1)
        #expect((clock.surely(now) ?? .max) <= now - 3_600_000)
    }

    @Test("waits double from a quarter of a second to thirty, a fifth more or less")
    func retries() {
        var pace = RetryPace()
        var middle = RetryPace()
        let waits = (0..<10).map { _ in middle.failed(draw: 0.5) }
        #expect(waits == [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
        #expect(pace.failed(draw: 0) == 200 && pace.failed(draw: 0.999_999) == 599)
        pace.succeeded()
        #expect(pace.failed(draw: 0.5) == 250)
    }
}
