import TestSupport
import Testing

@testable import Query

@Suite("FunnelWalk")
struct FunnelWalkTests {
    private typealias Hit = (time: Int64, mask: UInt16)

    private func walked(_ hits: [Hit], steps: Int, within: Int64) -> Int {
        var walk = FunnelWalk(steps: steps, within: within)
        for (time, group) in Dictionary(grouping: hits, by: \.time).sorted(by: { $0.key < $1.key })
        {
            walk.add(time, group.map(\.mask).sorted()[...])
        }
        return walk.furthest
    }

    /// Every choice of different events, one for each step.
    private func tried(_ hits: [Hit], steps: Int, within: Int64) -> Int {
        var best = 0
        var used = [Bool](repeating: false, count: hits.count)
        func go(_ step: Int, _ first: Int64, _ last: Int64) {
            best = max(best, step)
            guard step < steps else { return }
            for (place, hit) in hits.enumerated()
            where !used[place] && hit.mask >> UInt16(step) & 1 == 1 {
                let start = step == 0 ? hit.time : first
                guard step == 0 || hit.time >= last, hit.time - start <= within else { continue }
                used[place] = true
                go(step + 1, start, hit.time)
                used[place] = false
            }
        }
        go(0, 0, 0)
        return best
    }

    @Test("it gets as far as the best of all assignments", arguments: 0..<20)
    func assignments(group: Int) {
        for round in 0..<400 {
            var random = SplitMix(seed: UInt64(group * 1000 + round))
            let steps = 2 + random.next(4)
            let moments = 1 + random.next(5)
            let within = Int64(random.next(moments + 2))
            let hits = (0..<(1 + random.next(8))).map { _ -> Hit in
                // Few bits as a rule: where everything matches, nothing is hard.
                let all = UInt16(random.next(1 << steps)) & UInt16(random.next(1 << steps))
                return (
                    Int64(random.next(moments)), all == 0 ? 1 << UInt16(random.next(steps)) : all
                )
            }
            #expect(
                walked(hits, steps: steps, within: within)
                    == tried(hits, steps: steps, within: within),
                "seed \(group * 1000 + round): \(hits), \(steps) steps in \(within)")
        }
    }

    @Test("it goes on where it stood, wherever the events are cut", arguments: 0..<20)
    func cut(group: Int) {
        for round in 0..<200 {
            var random = SplitMix(seed: UInt64(group * 1000 + round))
            let steps = 2 + random.next(4)
            let within = Int64(random.next(8))
            var hits: [FunnelHit] = (0..<(1 + random.next(12))).map { _ in
                FunnelHit(
                    device: Int64(random.next(3)), time: Int64(random.next(8)),
                    mask: 1 + UInt16(random.next(1 << steps - 1)))
            }
            hits.sort {
                $0.device != $1.device ? $0.device < $1.device : FunnelHit.precedes($0, $1)
            }
            var wanted = [Int](repeating: 0, count: steps + 1)
            for (_, hits) in Dictionary(grouping: hits, by: \.device) {
                let all = hits.map { Hit($0.time, $0.mask) }
                wanted[walked(all, steps: steps, within: within)] += 1
            }
            var states = FunnelStates(steps: steps, within: within, .unbounded)
            var cuts = (0..<random.next(4)).map { _ in Int64(random.next(8)) } + [.max]
            cuts.sort()
            var start = Int64.min
            for end in cuts {
                for device in 0..<3 as Range<Int64> {
                    let some = hits.filter { $0.device == device && start..<end ~= $0.time }
                    if !some.isEmpty { states.add(some[...], of: device) }
                }
                start = end
            }
            var reached = [Int](repeating: 0, count: steps + 1)
            states.count(into: &reached)
            // Those that have not begun are not held.
            wanted[0] = 0
            #expect(reached == wanted, "seed \(group * 1000 + round)")
        }
    }

    @Test("a matching is found where each step by itself would take another's only event")
    func matching() {
        // The first event is the only one for step 2, and fits step 1 as well.
        let hits: [Hit] = [(0, 0b0011), (0, 0b0101), (0, 0b1001)]
        #expect(walked(hits, steps: 3, within: 0) == 3)
        #expect(walked([(0, 0b111), (0, 0b111)], steps: 3, within: 0) == 2)
    }

    @Test("many events of one moment, and many moments, take no more than they need")
    func many() {
        var walk = FunnelWalk(steps: 10, within: 1 << 40)
        let masks = (1..<1024).flatMap { [UInt16](repeating: UInt16($0), count: 12) }
        walk.add(0, masks[...])
        #expect(walk.furthest == 10)
        walk.restart()
        for time in 0..<200_000 { walk.add(Int64(time), [0b1_1111_1111][...]) }
        #expect(walk.furthest == 9)
    }
}
