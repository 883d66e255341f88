import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// docs/operation.md, Life of the process: what a failing disk may and may not do.
@Suite("an operation that fails", .tags(.long))
struct FailingDiskTests {
    /// What fails, for how long, and what senders are told.
    struct Case: CustomTestStringConvertible {
        let fault: FaultDisk.Fault
        var kinds = FaultDisk.Kinds.changes
        var times = 1
        let failure: WriteFailure
        /// What the kernel writes of what a failing sync was to write.
        var failedSync = Survival.drop

        var testDescription: String {
            "\(fault), \(times == 1 ? "once" : "from then on"), \(failedSync)"
        }
    }

    static let cases = [
        Case(fault: .eio, failure: .internalError),
        Case(fault: .eio, kinds: .syncs, failure: .internalError),
        Case(fault: .eio, kinds: .syncs, failure: .internalError, failedSync: .torn),
        Case(fault: .eio, times: .max, failure: .internalError),
        Case(fault: .eio, kinds: .syncs, times: 3, failure: .internalError, failedSync: .some),
        Case(fault: .eio, kinds: .reads, failure: .internalError),
        Case(fault: .enospc, kinds: [.changes, .shared], failure: .storageFull),
        Case(fault: .enospc, kinds: [.changes, .shared], times: .max, failure: .storageFull),
        Case(fault: .short, failure: .storageFull),
        Case(fault: .erofs, times: .max, failure: .internalError),
    ]

    @Test(
        "ends in no answer that a later power cut belies, and when it is over the store goes on",
        arguments: cases)
    func everyOperation(_ which: Case) throws {
        let workload = Workload(
            seed: ChaosSize.seed, rounds: ChaosSize.isLong ? 5 : 3,
            restarts: ChaosSize.isLong ? [2] : [],
            // While one holds up the log of a writer in trouble, senders are told of no full disk.
            hasReaders: which.failure == .internalError)
        let count = try operations(of: workload, which.kinds)
        // In the short run every tenth or so, of all kinds; in the long one each.
        let step = ChaosSize.isLong ? 1 : max(count / 10, 1)
        var hits = 0
        func tryOne(_ first: Int) throws {
            let (verdict, failed) = try run(workload, which, first: first)
            #expect(verdict.all == [], "\(which.testDescription) from \(first) of \(count)")
            ChaosSize.tell(points: 3, verdict)
            hits += failed > 0 ? 1 : 0
        }
        for first in stride(from: 1, through: count, by: step) { try tryOne(first) }
        // Not every operation can fail in every way, and no two runs have quite the same.
        for first in 2..<max(count, 3) where hits == 0 { try tryOne(first) }
        #expect(hits > 0, "of \(count) operations none failed")
    }

    /// How many there are to fail.
    private func operations(of workload: Workload, _ kinds: FaultDisk.Kinds) throws -> Int {
        let folder = try Workload.prepare()
        let disk = FaultDisk(folder.data.path)
        disk.count(kinds)
        let store = try #require(workload.run(in: folder, on: disk, History()))
        defer { try? store.close() }
        return disk.seen
    }

    /// A life with one fault; then the disk is well again, and then the power goes.
    private func run(
        _ workload: Workload, _ which: Case, first: Int
    ) throws -> (Verdict, failed: Int) {
        let folder = try Workload.prepare()
        let disk = FaultDisk(folder.data.path)
        disk.fail(which.fault, which.kinds, first: first, times: which.times)
        let history = History()
        var verdict = Verdict()
        var store = workload.run(in: folder, on: disk, history)
        let failed = disk.failed
        disk.count()
        do {
            // A start that failed is tried again, as systemd would.
            if store == nil { store = try Store.open(Workload.options(folder)) }
        } catch {
            verdict.other.append("it does not open when the disk is well: \(error)")
        }
        if let store { afterwards(store, history, disk, &verdict) }
        verdict.other += history.contradictions
        for case .batch(let name, .failed(let failure)) in history.answers
        where failure != which.failure {
            verdict.other.append("\(name) failed with \(failure): \(history.failures)")
        }
        store = nil
        var run = try CrashPoints(
            tape: disk.tape(), judge: Judge(history),
            rest: ["master.key": Array(contents(of: folder.data.masterKey))],
            seed: workload.seed &+ UInt64(first), secondCutEvery: .max)
        run.failedSync = which.failedSync
        for survival in [Survival.drop, .torn] {
            verdict += try run.tryOnce(survival).verdict
        }
        // And in the midst of it, where some answers had been given.
        var random = SplitMix(seed: run.seed)
        let place = Int.random(in: 0..<run.tape.count, using: &random)
        verdict += try run.tryOnce(.drop, after: place).verdict
        return (verdict, failed)
    }

    /// Once the disk is well, the very next batch is stored: nobody starts the store anew.
    private func afterwards(
        _ store: Store, _ history: History, _ disk: FaultDisk, _ verdict: inout Verdict
    ) {
        let name = BatchName(device: 3, id: "well-again")
        let batch = Batches.make(name.id, device: name.device)
        history.sending(name, batch)
        guard let outcome = store.writer.storeAlone(batch) else {
            verdict.other.append("it takes no batch when the disk is well")
            return
        }
        history.answered(.batch(name, outcome), on: disk)
        if outcome != .stored { verdict.other.append("when the disk is well: \(outcome)") }
        guard case .ready = store.writer.readiness else {
            verdict.other.append("it is not ready when the disk is well")
            return
        }
    }
}
