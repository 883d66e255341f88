import StoreTestSupport
import Synchronization
import Testing

@testable import Storage

@Suite("failures are told at most once a second")
struct FailureNoticesTests {
    private static let second = FailureNotices.interval

    @Test("the first at once, then those a second apart, with how many were left out")
    func pace() {
        var notices = FailureNotices()
        #expect(notices.failure(at: 5, isTrouble: true) == 0)
        #expect(notices.failure(at: 5, isTrouble: true) == nil)
        #expect(notices.failure(at: 4 + Self.second, isTrouble: false) == nil)
        #expect(notices.failure(at: 5 + Self.second, isTrouble: true) == 2)
        #expect(notices.failure(at: 6 + Self.second, isTrouble: true) == nil)
        #expect(notices.failure(at: 9 * Self.second, isTrouble: true) == 1)
        #expect(notices.failure(at: 99 * Self.second, isTrouble: true) == 0)
    }

    @Test("the end of trouble is told once, and only of trouble that was told")
    func recovery() {
        var notices = FailureNotices()
        _ = notices.failure(at: 0, isTrouble: false)
        let afterBadBatch = notices.recovery()
        #expect(!afterBadBatch)
        _ = notices.failure(at: Self.second, isTrouble: true)
        let first = notices.recovery()
        let second = notices.recovery()
        #expect(first && !second)
        _ = notices.failure(at: Self.second + 1, isTrouble: true)
        let afterLeftOut = notices.recovery()
        #expect(!afterLeftOut)
    }

    @Test("a writer that fails on every group tells it once; the text says how many it left out")
    func flood() throws {
        let folder = TemporaryFolder()
        let told = Mutex(0)
        let texts = Mutex<[String]>([])
        var options = folder.options
        options.observer.failed = { failure in
            told.withLock { $0 += 1 + failure.leftOut }
            texts.withLock { $0.append("\(failure)") }
        }
        let store = try Store.open(options)
        let begin = ContinuousClock.now
        var batch = Batches.make("b")
        batch.events[0].index = 8192
        while told.withLock({ $0 }) < 3 {
            for _ in 0..<50 { _ = store.writer.storeAlone(batch) }
        }
        let seconds = begin.duration(to: .now).components.seconds
        let all = texts.withLock { $0 }
        #expect(all.count <= seconds + 1)
        #expect(all.last?.hasSuffix("failures before it)") == true)
        #expect(all.first?.hasSuffix("8191") == true)
    }
}
