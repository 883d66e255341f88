import Testing

@testable import Simulation

@Suite("moments of a use")
struct EventTimesTests {
    @Test("where a server may move them none is near an edge, or near another")
    func distance() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let start = Int64(random.below(3_600_000))
            var times = EventTimes(
                start: start, length: Int64(random.below(60_000)), keepsDistance: true)
            var all = [times.now]
            while times.pass(Int64(random.below(3_000))) { all.append(times.now) }
            all.append(times.end)
            #expect(all.allSatisfy { (2_100...897_900).contains($0 % 900_000) })
            #expect(zip(all, all.dropFirst()).allSatisfy { $1 - $0 >= 2_100 })
        }
    }

    @Test("elsewhere they are as they come")
    func plain() {
        var times = EventTimes(start: 900_000, length: 100, keepsDistance: false)
        #expect(times.now == 900_000 && times.end == 900_100)
        #expect(times.pass(40) && times.pass(59) && !times.pass(1))
        #expect(times.now == 900_099)
    }
}
