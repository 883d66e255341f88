import Testing

@testable import Forwarding

@Suite("the engine's clock, of which whole seconds are known")
struct ClockTests {
    private func time(_ wall: Int64) -> NodeTime { NodeTime(wall: wall, uptime: wall - 1_000) }

    @Test(
        "answers narrow the difference down, and never past it", arguments: [-3_700, 0, 250, 9_999])
    func narrows(offset: Int64) {
        var clock = EngineClock()
        #expect(clock.surely(5, now: time(5)) == nil && clock.offset == nil)
        var now: Int64 = 1_700_000_000_000
        for step in 0..<200 {
            let way = Int64(step % 7)
            clock.learn(
                seconds: (now + way / 2 - offset) / 1000, sent: time(now), received: time(now + way)
            )
            // The engine's clock shows now − offset: no later moment is said to have come.
            let sure = clock.surely(now, now: time(now)) ?? .max
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
            clock.learn(seconds: now / 1000, sent: time(now), received: time(now + 1))
        }
        let now: Int64 = 1_700_000_100_000
        clock.learn(seconds: now / 1000 - 3_600, sent: time(now), received: time(now + 1))
        #expect((clock.surely(now, now: time(now)) ?? .max) <= now - 3_600_000)
    }

    @Test("once the node's own clock was set, nothing is known before the engine was asked again")
    func setHere() {
        var clock = EngineClock()
        let start: Int64 = 1_700_000_000_000
        clock.learn(seconds: start / 1000, sent: time(start), received: time(start + 1))
        let later = NodeTime(wall: start + 400, uptime: start - 1_000 + 390)
        #expect(clock.surely(later.wall, now: later) != nil)
        for step: Int64 in [-300, 300] {
            let set = NodeTime(wall: start + 400 + step, uptime: start - 1_000 + 400)
            #expect(clock.surely(set.wall, now: set) == nil)
            var asked = clock
            asked.learn(
                seconds: start / 1000, sent: later,
                received: NodeTime(wall: later.wall + 900, uptime: later.uptime + 1))
            #expect(asked.surely(later.wall, now: later) == nil, "set while it was asked")
            asked.learn(
                seconds: start / 1000, sent: set,
                received: NodeTime(wall: set.wall + 1, uptime: set.uptime + 1))
            #expect((asked.surely(set.wall + 1, now: set) ?? .max) <= start + 400)
        }
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
