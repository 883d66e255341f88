import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("the gate before reports")
struct LogGateTests {
    private final class Log: Sendable {
        private let state = Mutex((isLong: false, tries: 0))
        var isLong: Bool {
            get { state.withLock { $0.isLong } }
            set { state.withLock { $0.isLong = newValue } }
        }
        var tries: Int { state.withLock { $0.tries } }

        func gate(_ shorten: @escaping @Sendable (Log) -> Void = { _ in }) -> LogGate {
            LogGate(
                isLong: { self.isLong },
                shorten: {
                    self.state.withLock { $0.tries += 1 }
                    shorten(self)
                })
        }
    }

    @Test("nobody waits while the log is short, nor for what is not wanted any more")
    func open() {
        let log = Log()
        let gate = log.gate()
        gate.enter { true }
        log.isLong = true
        gate.enter { false }
        #expect(log.tries == 0)
    }

    @Test("whoever comes to a long log waits until those that read have ended and it was moved")
    func waits() {
        let log = Log()
        let gate = log.gate { $0.isLong = false }
        gate.enter { true }
        log.isLong = true
        let looks = Atomic(0)
        let isIn = DispatchSemaphore(value: 0)
        DispatchQueue(label: "second").async {
            gate.enter { looks.add(1, ordering: .relaxed).newValue > 0 }
            isIn.signal()
        }
        #expect(eventually { looks.load(ordering: .relaxed) > 2 })
        #expect(log.tries == 0 && isIn.wait(timeout: .now()) == .timedOut)
        gate.leave()
        #expect(isIn.wait(timeout: .now() + .seconds(20)) == .success)
        #expect(log.tries == 1 && !log.isLong)
    }

    @Test("a log that others hold up is waited for once, and for one second")
    func others() {
        let log = Log()
        log.isLong = true
        let gate = log.gate()
        let first = ContinuousClock().measure { gate.enter { true } }
        #expect(first >= .seconds(1) && log.tries == 1)
        // The other is still in, and for a while nobody asks.
        var looks = 0
        gate.enter {
            looks += 1
            return true
        }
        #expect(looks == 1 && log.tries == 1)
    }
}
