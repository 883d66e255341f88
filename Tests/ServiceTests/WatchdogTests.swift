import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Service

/// docs/operation.md, systemd: what "alive" means.
@Suite("signs of life")
struct WatchdogTests {
    /// Which of so many ticks begin a round; each is answered at once, by so many loops.
    private func begun(
        _ rounds: inout WatchdogRounds, ticks: Int, writerStands: Bool = false, answers: Int = 0
    ) -> [Int] {
        var begun: [Int] = []
        for tick in 1...ticks where rounds.tick(writerStands: writerStands) {
            begun.append(tick)
            for _ in 0..<answers { _ = rounds.answer() }
        }
        return begun
    }

    @Test("one is due before each half of the period is over")
    func due() {
        var rounds = WatchdogRounds(loops: 1)
        #expect(begun(&rounds, ticks: 16, answers: 1) == [3, 6, 9, 12, 15])
    }

    @Test("it is given when the last loop has turned, and no other is due before")
    func loops() {
        var rounds = WatchdogRounds(loops: 3)
        #expect(begun(&rounds, ticks: 3) == [3])
        let early = [rounds.answer(), rounds.answer()]
        #expect(early == [false, false])
        #expect(begun(&rounds, ticks: 20) == [])
        let last = rounds.answer()
        #expect(last)
        #expect(begun(&rounds, ticks: 1) == [1])
    }

    @Test("none is begun while the writer stands, and one at once when it goes on")
    func writer() {
        var rounds = WatchdogRounds(loops: 1)
        #expect(begun(&rounds, ticks: 20, writerStands: true) == [])
        #expect(begun(&rounds, ticks: 1) == [1])
    }

    @Test("none is given after the end, not even one that was on its way")
    func end() {
        var rounds = WatchdogRounds(loops: 1)
        #expect(begun(&rounds, ticks: 3) == [3])
        rounds.end()
        let late = rounds.answer()
        #expect(!late)
        #expect(begun(&rounds, ticks: 20) == [])
    }

    @Test("the timer gives them, but while the writer stands a whole period")
    func timer() {
        let site = WatchedSite()
        let watchdog = Watchdog(
            period: 80_000_000, loops: 2,
            callLoops: { answer in
                answer()
                answer()
            }, stall: { site.stall() }, sign: { site.signs.add(1, ordering: .relaxed) })
        defer { watchdog.stop() }
        #expect(eventually { site.given >= 3 })
        // Just below a period is not standing still.
        site.nanoseconds.store(79_999_999, ordering: .relaxed)
        let before = site.given
        #expect(eventually { site.given >= before + 3 })
        site.nanoseconds.store(80_000_000, ordering: .relaxed)
        // What was on its way has arrived some ticks later.
        #expect(site.ticks(4))
        let last = site.given
        #expect(site.ticks(20))
        #expect(site.given == last)
        site.nanoseconds.store(0, ordering: .relaxed)
        #expect(eventually { site.given > last })
    }
}

/// A writer that stands as a test says, and what the watchdog makes of it.
private final class WatchedSite: Sendable {
    let nanoseconds = Atomic<UInt64>(0)
    let signs = Atomic<Int>(0)
    private let asked = Atomic<Int>(0)

    var given: Int { signs.load(ordering: .relaxed) }

    /// Asked once a tick.
    func stall() -> UInt64 {
        asked.add(1, ordering: .relaxed)
        return nanoseconds.load(ordering: .relaxed)
    }

    /// Waits for so many ticks more.
    func ticks(_ count: Int) -> Bool {
        let goal = asked.load(ordering: .relaxed) + count
        return eventually { asked.load(ordering: .relaxed) >= goal }
    }
}
