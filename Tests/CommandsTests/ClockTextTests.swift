import Service
import Testing
import Upkeep

@testable import Commands

/// docs/operation.md, A clock that is vouched for.
@Suite("what clock prints")
struct ClockTextTests {
    private let now = Timestamp.milliseconds

    private func text(accepted: Int64?) -> String {
        let clock = ArrivalClock(ClockRecord(newest: nil, accepted: accepted), now: now)
        return ClockCommand.text(ClockSummary(clock, at: now, newestArrival: nil, floor: nil))
    }

    @Test("until when the operator's word holds, while it does")
    func accepted() {
        let hour: Int64 = 3_600_000
        let end = Moment.text(now + 23 * hour)
        #expect(text(accepted: now - hour).contains("\nyour word holds until \(end)\n"))
        #expect(!text(accepted: now - 25 * hour).contains("your word"))
        #expect(!text(accepted: nil).contains("your word"))
    }
}
