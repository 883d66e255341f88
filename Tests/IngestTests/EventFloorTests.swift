import Events
import Testing

@testable import Ingest

@Suite("the limit of prunes (docs/operation.md, Retention)")
struct EventFloorTests {
    @Test("an event from before it is out of range after its correction, one of it is not")
    func judged() throws {
        let arrival: Int64 = 1_763_640_000_000
        for shift: Int64 in [0, 100_000, -100_000] {
            let context = JudgeContext(profile: .plain, arrival: arrival, floor: arrival - 5_000)
            #expect(context.allows(arrival - 5_000 - shift, shift: shift))
            #expect(!context.allows(arrival - 5_001 - shift, shift: shift))
        }
    }

    @Test("it only rises, and counts for workers that run")
    func raised() throws {
        let floor = EventFloor()
        #expect(floor.moment == .min)
        let limits = IngestLimits(
            maxInflatedBytes: 100, maxBatchEvents: 5, maxEventAge: 9, floor: floor)
        let small = limits.atMost(inflatedBytes: 10)
        floor.raise(to: 7)
        floor.raise(to: 3)
        #expect(floor.moment == 7 && small.floor.moment == 7 && EventFloor(5).moment == 5)
    }
}
