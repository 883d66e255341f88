import Foundation
import Sockets
import Testing

@Suite struct BudgetTests {
    @Test("what fits is taken, what does not is not")
    func limit() {
        let budget = Budget(limit: 100)
        #expect(budget.hasRoom && budget.used == 0)
        #expect(budget.reserve(60))
        #expect(!budget.reserve(41))
        #expect(budget.used == 60)
        #expect(budget.reserve(40))
        #expect(!budget.hasRoom && !budget.reserve(1) && budget.reserve(0))
        budget.release(51)
        #expect(budget.hasRoom && budget.used == 49)
        #expect(budget.reserve(50, leaving: 1) && !budget.reserve(1, leaving: 1))
        #expect(budget.reserve(1))
    }

    @Test("what is still coming may have half, and takes nothing of the other half")
    func halves() {
        let budget = Budget(limit: 101)
        #expect(budget.comingLimit == 50 && budget.wholeShare == 51)
        budget.adjustComing(by: 50)
        #expect(!budget.isCrowded && budget.hasRoom && budget.used == 50)
        // What is too much is in memory all the same until somebody makes room.
        budget.adjustComing(by: 30)
        #expect(budget.isCrowded && budget.used == 80)
        #expect(budget.reserve(51) && !budget.reserve(1))
        budget.adjustComing(by: -60)
        #expect(!budget.isCrowded)
        // What nobody needs for what is coming is there for the others.
        #expect(budget.reserve(30) && !budget.reserve(1) && !budget.hasRoom)
        budget.release(81)
        budget.adjustComing(by: -20)
        #expect(budget.used == 0)
    }

    @Test("many threads never hold more than the limit together, and leave nothing")
    func threads() {
        let budget = Budget(limit: 1000)
        DispatchQueue.concurrentPerform(iterations: 8) { place in
            for round in 0..<5000 {
                let count = (round &* 31 &+ place &* 17) % 400
                guard budget.reserve(count) else { continue }
                // One that is refused is over the limit for a moment, but holds nothing.
                budget.release(count)
            }
        }
        #expect(budget.used == 0)
    }
}
