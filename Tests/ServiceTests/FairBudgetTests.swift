import Sockets
import Synchronization
import Testing

@testable import Service

/// How whole bodies and accepted batches share memory (docs/operation.md, `max-buffered-bytes`). Times
/// are counted by hand.
@Suite("room for batches")
struct FairBudgetTests {
    private final class Hand: Sendable {
        let now = Atomic<Int64>(5_000_000_000)
        func advance(_ nanoseconds: Int64) { now.add(nanoseconds, ordering: .relaxed) }
    }

    private static let second: Int64 = 1_000_000_000
    private let hand = Hand()
    private let budget = Budget(limit: 800)

    private func room() -> FairBudget<Int64> {
        FairBudget(
            budget, share: budget.wholeShare,
            clock: { [hand] in hand.now.load(ordering: .relaxed) })
    }

    @Test("an app has half of the share while another holds some or has just wanted some")
    func contested() {
        let room = room()
        #expect(room.reserve(10, of: 2))
        #expect(room.reserve(200, of: 1) && !room.reserve(1, of: 1))
        #expect(room.reserve(190, of: 2) && !room.reserve(1, of: 2))
        // A third finds room for as much.
        #expect(room.reserve(200, of: 3))
        room.release(200, of: 2)
        room.release(200, of: 3)
        #expect(!room.reserve(1, of: 1), "they have just asked")
        hand.advance(Self.second)
        #expect(room.reserve(1, of: 1))
        // Who asks in vain wants some too.
        hand.advance(Self.second)
        #expect(!room.reserve(10_000, of: 2))
        #expect(!room.reserve(1, of: 1))
    }

    @Test("an app alone leaves a quarter of the share, so that whoever comes finds room")
    func alone() {
        let room = room()
        var held = 0
        while room.reserve(10, of: 1) { held += 10 }
        #expect(held == 700)
        #expect(room.reserve(100, of: 2) && !room.reserve(10, of: 2))
        room.release(10, of: 1)
        #expect(!room.reserve(10, of: 1), "the other one comes first now")
        #expect(room.reserve(10, of: 2))
    }

    @Test("one batch alone may be larger than half of the share, as far as there is room")
    func large() {
        let room = room()
        #expect(room.reserve(10, of: 2))
        #expect(room.reserve(300, of: 1) && !room.reserve(1, of: 1))
        room.release(300, of: 1)
        #expect(!room.reserve(791, of: 1))
        #expect(room.reserve(790, of: 1))
        room.release(790, of: 1)
        room.release(10, of: 2)
        #expect(budget.used == 0)
    }

    @Test("what is still coming takes nothing of the share")
    func coming() {
        let room = room()
        budget.adjustComing(by: 500)
        #expect(room.reserve(200, of: 1) && room.reserve(200, of: 2))
        #expect(!room.reserve(1, of: 3))
        budget.adjustComing(by: -500)
        #expect(room.reserve(200, of: 3))
        for app in 1...3 as ClosedRange<Int64> { room.release(200, of: app) }
        #expect(budget.used == 0)
    }
}
