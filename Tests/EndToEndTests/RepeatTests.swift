import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// docs/protocol.md, The answer: repeats are known by app, device and `batch_id`, for ever, and get the
/// first answer's counts.
@Suite("repeats among fresh batches, over 64 connections", .tags(.long), .serialized)
struct RepeatTests {
    @Test("each batch is new once and a repeat once, also across a kill, and is stored once")
    func exact() throws {
        let count = ChaosSize.repeats ?? 300
        let server = try TestServer()
        let ledger = BatchLedger(eventsEach: 3)
        // Both posts of a batch anywhere; some pairs meet in one group.
        var posts = (0..<count).flatMap { [$0, $0] }.shuffled()
        for pair in stride(from: 0, to: posts.count - 1, by: 50) {
            guard let other = posts[(pair + 1)...].firstIndex(of: posts[pair]) else { continue }
            posts.swapAt(pair + 1, other)
        }
        for half in [posts[..<count], posts[count...]] {
            try server.start()
            try post(Array(half), to: server, ledger)
            #expect(server.kill(SIGKILL) == -SIGKILL)
        }
        try server.start()
        let findings = ledger.compare(try server.storedEvents())
        #expect(findings.lost.isEmpty && findings.doubled.isEmpty && findings.wrong.isEmpty)
        #expect(ledger.fresh == count && ledger.repeats == count)
        ChaosSize.tell(kills: 2, findings)
        #expect(server.kill(SIGTERM) == 0)
    }

    private func post(_ numbers: [Int], to server: TestServer, _ ledger: BatchLedger) throws {
        let next = Atomic(0)
        let clients = DispatchGroup()
        for _ in 0..<64 {
            clients.enter()
            Thread.detachNewThread {
                defer { clients.leave() }
                guard let connection = try? server.connect() else { return }
                while true {
                    let place = next.add(1, ordering: .relaxed).oldValue
                    guard place < numbers.count else { return }
                    let id = "b-\(numbers[place])"
                    ledger.posting(id)
                    // A batch has one device, and a device many batches.
                    let text = batch(id, device: "phone-\(numbers[place] % 7)", count: 3)
                    guard let answer = server.answer(to: text, on: connection) else {
                        Issue.record("no answer to \(id)")
                        return
                    }
                    ledger.answered(id, answer.status, answer.body)
                }
            }
        }
        clients.wait()
    }
}
