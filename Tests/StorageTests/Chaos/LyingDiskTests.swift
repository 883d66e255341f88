import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// Proof that the tests of power cuts can fail.
@Suite("the tests of power cuts notice", .tags(.long))
struct LyingDiskTests {
    @Test("a disk that says it has synced and has not, which is what synchronous=OFF would be")
    func lyingSync() throws {
        let run = try CrashPointTests.record(Workload(seed: 1, rounds: 3, restarts: [])) {
            $0.fail(.lie, .syncs)
        }
        let findings = try run.tryOnce(.drop)
        #expect(!findings.verdict.lost.isEmpty)
        // What was there before the tape began is still there.
        #expect(!findings.verdict.lost.contains { $0.contains("does not open") })
    }

    @Test("a single sync that was a lie")
    func oneLie() throws {
        let folder = try Workload.prepare()
        let disk = FaultDisk(folder.data.path)
        let store = try Store.open(folder.options)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        disk.fail(.lie, .syncs, times: 1)
        let history = History()
        let name = BatchName(device: 1, id: "b-2")
        history.sending(name, Batches.make("b-2"))
        let outcome = try #require(store.writer.storeAlone(Batches.make("b-2")))
        history.answered(.batch(name, outcome), on: disk)
        #expect(outcome == .stored && disk.failed == 1)
        history.sending(BatchName(device: 1, id: "b-1"), Batches.make("b-1"))
        let run = try CrashPoints(
            tape: disk.tape(), judge: Judge(history),
            rest: ["master.key": Array(contents(of: folder.data.masterKey))])
        let findings = try run.tryOnce(.drop)
        #expect(findings.verdict.lost.count == 1)
        #expect(findings.verdict.lost.first?.hasSuffix("b-2 of device 1") == true)
    }

    @Test("answers that left before the sync they should have waited for")
    func earlyAnswer() throws {
        let run = try CrashPointTests.record(Workload(seed: 1, rounds: 3, restarts: []))
        #expect(try run.tryAll(.drop).verdict.all == [])
        var early = run
        early.tape = Self.answeredEarly(run.tape)
        #expect(early.tape.count == run.tape.count)
        #expect(try !early.tryAll(.drop).verdict.lost.isEmpty)
    }

    /// The tape of a writer that answers first and syncs then: each run of answers moves before the sync
    /// that it follows.
    private static func answeredEarly(_ tape: [TapeRecord]) -> [TapeRecord] {
        var out: [TapeRecord] = []
        var syncAt: Int?
        for record in tape {
            switch record.operation {
            case .mark:
                out.insert(record, at: syncAt ?? out.count)
                syncAt = syncAt.map { $0 + 1 }
            case .sync:
                syncAt = out.count
                out.append(record)
            default:
                out.append(record)
            }
        }
        return out
    }
}
