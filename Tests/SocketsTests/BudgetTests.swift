import Foundation
import Sockets
import Testing

@Suite struct BudgetTests {
    @Test("what fits is taken, what does not is not, and force takes all the same")
    func limit() {
        let budget = Budget(limit: 100)
        #expect(budget.hasRoom && budget.used == 0)
        #expect(budget.reserve(60))
        #expect(!budget.reserve(41))
        #expect(budget.used == 60)
        #expect(budget.reserve(40))
        #expect(!budget.hasRoom && !budget.reserve(1) && budget.reserve(0))
        budget.force(50)
        #expect(budget.used == 150)
        budget.release(51)
        #expect(budget.hasRoom && budget.used == 99)
        #expect(budget.reserve(1))
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
