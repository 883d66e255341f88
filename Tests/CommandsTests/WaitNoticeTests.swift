import Service
import Synchronization
import Testing

@testable import Commands

@Suite("notices of waiting")
struct WaitNoticeTests {
    private final class Capture: TextOutput {
        private let octets = Mutex<[UInt8]>([])
        var text: String { octets.withLock { String(decoding: $0, as: UTF8.self) } }
        var isTerminal: Bool { false }
        func check() throws(AdminFailure) {}
        func write(_ text: String) { write(Array(text.utf8)) }
        func write(_ more: [UInt8]) { octets.withLock { $0 += more } }
    }

    private final class Hand: Sendable {
        let now = Atomic<Int64>(0)
    }

    @Test("the first is told at once, then one in ten seconds, also where the clock was set back")
    func seldom() {
        let output = Capture()
        let hand = Hand()
        let notice = WaitNotice(output, clock: { hand.now.load(ordering: .relaxed) })
        for moment: Int64 in [100_000, 100_001, 109_999, 110_000, 119_999, 50_000, 59_999] {
            hand.now.store(moment, ordering: .relaxed)
            notice.tell("moment \(moment)\u{1B}", patience: 60_000)
        }
        #expect(
            output.text
                == [100_000, 110_000, 50_000].map {
                    "sojourn: moment \($0)\\x1B; trying again, each batch for 1m\n"
                }.joined())
    }
}
