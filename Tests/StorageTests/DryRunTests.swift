import Dispatch
import Events
import Foundation
import StoreTestSupport
import Testing

@testable import Storage

@Suite("a dry run beside a store (docs/protocol.md, Names)")
struct DryRunTests {
    let folder = TemporaryFolder()

    private func open(maxNames: Int) throws -> Store {
        var options = folder.options
        options.limits.maxNames = maxNames
        options.limits.sliceNanoseconds = 1
        let store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        _ = try store.registry.addApp("other")
        return store
    }

    /// An event of each of so many names.
    private func batch(_ id: String, app: Int64 = 1, names: Int) -> AcceptedBatch {
        var batch = Batches.make(
            id, app: app, times: Array(repeating: Batches.noon, count: names))
        batch.names = (0..<names).map { "n\($0)" }
        batch.attributeKeys = []
        batch.text = []
        for index in batch.events.indices {
            batch.events[index].name = UInt32(index)
            batch.events[index].attributes = 0..<0
        }
        return batch
    }

    /// Keeps the queue of dry runs until it is signalled.
    private func hold(_ store: Store) -> DispatchSemaphore {
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isTaken = store.dryRuns.judge(batch("hold", app: 2, names: 1)) { _ in
            begun.signal()
            end.wait()
        }
        #expect(isTaken)
        begun.wait()
        return end
    }

    @Test("words that are stored between two of its pieces count once", arguments: [200, 100])
    func storedMeanwhile(maxNames: Int) throws {
        let store = try open(maxNames: maxNames)
        let whole = batch("b-1", names: 150)
        let end = hold(store)
        let verdict = Answer<NameVerdict>()
        let outcome = Answer<WriteOutcome>()
        #expect(store.dryRuns.judge(whole) { verdict.set(try? $0?.get()) })
        // Its turn is after the first piece of the other app's.
        let between = store.dryRuns.judge(batch("b-2", app: 2, names: 1)) { _ in
            outcome.set(store.writer.storeAlone(whole))
        }
        #expect(between)
        end.signal()
        let accepted = min(maxNames, 150)
        switch outcome.wait() {
        case .stored: #expect(accepted == 150)
        case .storedInPart(let part): #expect(part.accepted == accepted)
        case let other: Issue.record("\(String(describing: other))")
        }
        let found = verdict.wait()
        #expect(found?.accepted == accepted)
        #expect(found?.rejections.first?.index == (accepted < 150 ? accepted : nil))
        try store.close()
    }

    @Test("a clean stop after it leaves no log")
    func cleanStop() throws {
        let store = try open(maxNames: 10)
        let verdict = Answer<NameVerdict>()
        #expect(store.dryRuns.judge(batch("b-1", names: 1)) { verdict.set(try? $0?.get()) })
        #expect(verdict.wait()?.accepted == 1)
        try store.close()
        #expect(try folder.names().filter { $0.hasPrefix("sojourn.db") } == ["sojourn.db"])
        #expect(try openDescriptors(in: folder) == 0)
        #expect(!store.dryRuns.judge(batch("b-2", names: 1)) { _ in Issue.record("told") })
    }

    @Test("what waits when the store closes is sent away")
    func waitsAtClose() throws {
        let store = try open(maxNames: 10)
        let end = hold(store)
        let answers = DispatchSemaphore(value: 0)
        func judge() -> Bool {
            store.dryRuns.judge(batch("b-1", names: 1)) {
                #expect($0 == nil)
                answers.signal()
            }
        }
        #expect(judge())
        let closed = Answer<Bool>()
        Thread.detachNewThread {
            closed.set((try? store.close()) != nil)
        }
        var taken = 1
        while judge() {
            taken += 1
            usleep(1000)
        }
        end.signal()
        #expect(closed.wait() == true)
        for _ in 0..<taken { #expect(answers.wait(timeout: .now() + 10) == .success) }
        #expect(try folder.names().filter { $0.hasPrefix("sojourn.db") } == ["sojourn.db"])
    }
}
