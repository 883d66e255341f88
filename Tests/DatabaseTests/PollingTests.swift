import Dispatch
import StoreTestSupport
import Synchronization
import Testing

@testable import Database

@Suite("polling")
struct PollingTests {
    /// Sleeps no time, and remembers how long it should have.
    private final class SleepingClock: Sendable {
        private let state = Mutex([UInt64]())
        var sleeps: [UInt64] { state.withLock { $0 } }
        var polling: Polling {
            Polling { nanoseconds in self.state.withLock { $0.append(nanoseconds) } }
        }
    }

    @Test("what is there at once is not waited for")
    func atOnce() {
        let clock = SleepingClock()
        #expect(clock.polling.first(every: 100, for: 0) { 1 } == 1)
        #expect(clock.polling.first(every: 100) { 2 } == 2)
        #expect(clock.sleeps == [])
    }

    @Test("it pauses between two looks, and ends with one when the time is over")
    func patience() {
        let clock = SleepingClock()
        var looks = 0
        let found = clock.polling.first(every: 100, for: 300) { () -> Int? in
            looks += 1
            return nil
        }
        #expect(found == nil && looks == 4)
        #expect(clock.sleeps == Array(repeating: 100_000_000, count: 3))
    }

    @Test("without a bound it goes on until there is something")
    func goesOn() {
        let clock = SleepingClock()
        var looks = 0
        let found = clock.polling.first(every: 60_000) { () -> Int? in
            looks += 1
            return looks > 1000 ? looks : nil
        }
        #expect(found == 1001 && clock.sleeps.count == 1000)
    }

    @Test("what a look throws ends it")
    func thrown() {
        let clock = SleepingClock()
        let error = failure {
            _ = try clock.polling.first(every: 1) {
                () throws(StorageError) -> Int? in throw StorageError.closed
            }
        }
        #expect(error?.isClosed == true && clock.sleeps == [])
    }

    @Test("the system's sleeps as long as it is told, at least")
    func system() {
        var looks = 0
        let took = ContinuousClock().measure {
            _ = Polling.system.first(every: 20) { () -> Int? in
                looks += 1
                return looks == 3 ? looks : nil
            }
        }
        #expect(took >= .milliseconds(40))
    }
}
