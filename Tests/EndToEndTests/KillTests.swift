import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Upkeep

/// docs/protocol.md, The answer: a batch that was answered 200 is on disk, whole, exactly once.
@Suite("killed again and again under load", .tags(.long), .serialized)
struct KillTests {
    /// Kills of one data directory, before all of it is read.
    private static let killsEach = 25

    @Test("a server has every batch that was answered 200 once, and every other once or not at all")
    func kills() throws {
        var left = ChaosSize.kills ?? 5
        while left > 0 {
            let kills = min(left, Self.killsEach)
            let findings = try life(kills: kills)
            #expect(findings.lost.isEmpty)
            #expect(findings.doubled.isEmpty)
            #expect(findings.wrong.isEmpty)
            ChaosSize.tell(kills: kills, findings)
            left -= kills
        }
    }

    private func life(kills: Int) throws -> BatchLedger.Findings {
        let server = try TestServer()
        let ledger = BatchLedger(eventsEach: 5)
        for round in 0..<kills {
            try server.start()
            try post(to: server, round, ledger)
        }
        try server.start()
        let findings = ledger.compare(try server.storedEvents())
        // What was answered is known for ever, and new batches are taken.
        #expect(ledger.answeredCount > kills)
        #expect(server.post(batch("after"), on: try server.connect()) == 200)
        #expect(server.kill(SIGTERM) == 0)
        return findings
    }

    /// Eight clients post until the server is killed, some answers after the first.
    private func post(to server: TestServer, _ round: Int, _ ledger: BatchLedger) throws {
        let enough = DispatchSemaphore(value: 0)
        let clients = DispatchGroup()
        let goal = ledger.answeredCount + Int.random(in: 1...40)
        for client in 0..<8 {
            DispatchQueue(label: "client.\(client)").async(group: clients) {
                guard let connection = try? server.connect() else { return }
                for number in 0... {
                    let isRepeat = Int.random(in: 0..<5) == 0
                    let id =
                        isRepeat ? ledger.earlier() ?? "first" : "r\(round)-c\(client)-\(number)"
                    ledger.posting(id)
                    let text = batch(id, device: "phone", count: ledger.eventsEach)
                    guard let answer = server.answer(to: text, on: connection) else { return }
                    ledger.answered(id, answer.status, answer.body)
                    if ledger.answeredCount >= goal { enough.signal() }
                }
            }
        }
        #expect(enough.wait(timeout: .now() + 60) == .success)
        // Somewhere in a commit, not always right after its answers.
        usleep(UInt32.random(in: 0..<5_000))
        #expect(server.kill(SIGKILL) == -SIGKILL)
        clients.wait()
    }
}
