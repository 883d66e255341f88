import Testing

@testable import Simulation

@Suite("rate limit")
struct RateLimitTests {
    @Test("batches go when their events may; what was missed is not made up for but half a second")
    func turns() {
        let limit = RateLimit(rate: 100)
        #expect(limit.reserve(10, at: 1_000) == 500)
        #expect(limit.reserve(40, at: 1_000) == 600)
        #expect(limit.reserve(50, at: 1_000) == 1_000)
        #expect(limit.reserve(1, at: 1_000) == 1_500)
        #expect(limit.reserve(1, at: 9_000) == 8_500)
    }
}
