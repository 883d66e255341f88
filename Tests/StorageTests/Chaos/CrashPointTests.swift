import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// docs/protocol.md, The answer: a batch that was answered 200 is on disk, whole, exactly once.
@Suite("a power cut at any operation", .tags(.long))
struct CrashPointTests {
    /// A workload that nothing stops, recorded.
    /// - Parameter change: what is done to the disk before.
    static func record(
        _ workload: Workload, _ change: (FaultDisk) -> Void = { _ in }
    ) throws -> CrashPoints {
        let folder = try Workload.prepare()
        let disk = FaultDisk(folder.data.path)
        change(disk)
        let history = History()
        let store = try #require(workload.run(in: folder, on: disk, history))
        try store.close()
        #expect(history.contradictions == [])
        let key = try Array(contents(of: folder.data.masterKey))
        return CrashPoints(
            tape: disk.tape(), judge: Judge(history), rest: ["master.key": key],
            seed: workload.seed)
    }

    @Test(
        "loses no batch that was answered, halves and doubles none, and the store goes on",
        arguments: Survival.allCases)
    func everyOperation(_ survival: Survival) throws {
        var seed = ChaosSize.seed
        var points = 0
        repeat {
            let workload =
                ChaosSize.isLong
                ? Workload(seed: seed, rounds: 14, restarts: [5, 9])
                : Workload(seed: seed, rounds: 4, restarts: [2])
            let run = try Self.record(workload)
            let findings = try run.tryAll(survival)
            #expect(findings.verdict.all == [])
            // The first operations and their like are no workload.
            #expect(findings.points > 20)
            ChaosSize.tell(points: findings.points, findings.verdict)
            points += findings.points
            seed += 1
        } while points < (ChaosSize.points ?? 0) / Survival.allCases.count
    }
}
