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
        #expect(floor.moment(at: 100) == .min)
        let limits = IngestLimits(
            maxInflatedBytes: 100, maxBatchEvents: 5, maxEventAge: 9, floor: floor)
        let small = limits.atMost(inflatedBytes: 10, elements: 10)
        floor.raise(to: PruneFloor(limit: 7, age: nil), at: 100)
        floor.raise(to: PruneFloor(limit: 3, age: nil), at: 100)
        #expect(floor.moment(at: 100) == 7 && small.floor.moment(at: 100) == 7)
        #expect(EventFloor(PruneFloor(limit: 5, age: nil)).moment(at: 100) == 5)
    }

    @Test("one that a clock made which ran ahead reaches no further back than its age")
    func ahead() {
        let floor = EventFloor(PruneFloor(limit: 1_000, age: 365))
        // Then, and when the clock is right again.
        #expect(floor.moment(at: 1_365) == 1_000 && floor.moment(at: 2_000) == 1_000)
        #expect(floor.moment(at: 600) == 235)
        floor.raise(to: PruneFloor(limit: 200, age: 400), at: 600)
        #expect(floor.moment(at: 600) == 235)
        // A prune by the clock that is right again reaches further.
        floor.raise(to: PruneFloor(limit: 500, age: 100), at: 600)
        #expect(floor.moment(at: 600) == 500 && floor.moment(at: 2_000) == 500)
        #expect(PruneFloor(limit: 5, age: .max).moment(at: -9) == 5)
    }

    @Test("one in the future whose age nobody noted is none until then")
    func unknownAge() {
        let floor = EventFloor(PruneFloor(limit: 1_000, age: nil))
        #expect(floor.moment(at: 999) == .min && floor.moment(at: 1_000) == 1_000)
        floor.raise(to: PruneFloor(limit: 100, age: 500), at: 600)
        #expect(floor.moment(at: 600) == 100)
    }
}
