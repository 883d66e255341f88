import Testing

@testable import Sockets

@Suite struct DeadlineWheelTests {
    private static let tick = DeadlineWheel.tick
    private static let round = DeadlineWheel.tick * Int64(DeadlineWheel.size)

    private func address(_ slot: Int) -> ConnectionAddress {
        ConnectionAddress(slot: UInt32(slot), generation: 0)
    }

    @Test(
        "an entry comes up once, after its deadline and less than two ticks late",
        arguments: [0, 1, 7 * tick + 3, 123 * round - 1, 123 * round, 1 << 61])
    func comesUp(start: Int64) {
        var wheel = DeadlineWheel(now: start)
        var due: [DeadlineWheel.Entry] = []
        let deadlines = [1, Self.tick - 1, Self.tick, 3 * Self.tick + 5, Self.round / 2]
        for (slot, after) in deadlines.enumerated() {
            wheel.insert(address(slot), at: wheel.tick(for: start + after))
        }
        var seen: [UInt32: Int64] = [:]
        var now = start
        while now < start + Self.round {
            wheel.due(now, into: &due)
            for entry in due {
                #expect(seen.updateValue(now - start, forKey: entry.address.slot) == nil)
            }
            now += Self.tick / 4
        }
        for (slot, after) in deadlines.enumerated() {
            let moment = seen[UInt32(slot)] ?? -1
            #expect(moment >= after)
            #expect(moment < after + 2 * Self.tick)
        }
        #expect(wheel.nextMoment == nil)
    }

    @Test("the next moment is that of the first entry, wherever the ring begins")
    func nextMoment() {
        for start in stride(from: 0, to: 2 * Self.round, by: Int(17 * Self.tick)) {
            var wheel = DeadlineWheel(now: start)
            #expect(wheel.nextMoment == nil)
            // From far to near, past both ends of the words that hold the bits.
            for ticks in [1022, 1000, 130, 129, 128, 65, 64, 63, 62, 1] as [Int64] {
                let tick = wheel.tick(for: start + ticks * Self.tick)
                wheel.insert(address(0), at: tick)
                #expect(wheel.nextMoment == tick * Self.tick)
            }
        }
    }

    @Test("what is further away than the ring is long comes up at its end, to be put in again")
    func farAway() {
        var wheel = DeadlineWheel(now: 0)
        var due: [DeadlineWheel.Entry] = []
        let deadline = 5 * Self.round
        var now: Int64 = 0
        var looks = 0
        wheel.insert(address(1), at: wheel.tick(for: deadline))
        while let next = wheel.nextMoment {
            #expect(next > now)
            now = next
            wheel.due(now, into: &due)
            #expect(due.count == 1)
            looks += 1
            if now < deadline { wheel.insert(address(1), at: wheel.tick(for: deadline)) }
        }
        #expect(now >= deadline && now < deadline + 2 * Self.tick)
        #expect((5...6).contains(looks))
    }

    @Test("a pause longer than the ring loses nothing and repeats nothing")
    func pause() {
        var wheel = DeadlineWheel(now: 0)
        var due: [DeadlineWheel.Entry] = []
        for slot in 0..<5000 {
            wheel.insert(address(slot), at: wheel.tick(for: Int64(slot) * Self.tick / 5))
        }
        wheel.due(9 * Self.round + 12345, into: &due)
        #expect(Set(due.map(\.address.slot)).count == 5000)
        #expect(due.count == 5000)
        wheel.due(20 * Self.round, into: &due)
        #expect(due.isEmpty)
    }

    @Test("what is overdue comes up at the next tick, not a round later")
    func overdue() {
        var wheel = DeadlineWheel(now: 100 * Self.tick)
        var due: [DeadlineWheel.Entry] = []
        wheel.insert(address(1), at: wheel.tick(for: 3))
        wheel.due(101 * Self.tick, into: &due)
        #expect(due.count == 1)
    }
}
