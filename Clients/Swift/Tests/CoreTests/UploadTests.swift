import Testing

@testable import Core

@Suite("When uploads are due")
struct UploadTests {
    @Test("after a restart what waits behind the batch on its way follows at once")
    func behindAFrozenBatch() {
        let app = Simulation()
        app.foreground()
        app.events(2)
        app.server.script = [.lose]
        app.flush()
        app.events(3)
        app.restart()
        app.settle()
        app.advance(3000)
        #expect(app.machine.status.waiting == 0)
        #expect(app.server.count == 6)
    }

    @Test("a 413's Retry-After holds after a restart", arguments: [nil, "2"])
    func splitAndRestarted(_ retryAfter: String?) {
        let app = Simulation()
        app.events(4)
        app.server.script = [.refuse(413, "too-many-events"), .lose]
        app.server.retryAfter = retryAfter
        app.flush()
        let requests = app.server.requests
        app.restart()
        app.settle()
        #expect((app.server.requests > requests) == (retryAfter == nil))
        app.advance(4900)
        app.finish()
        #expect(app.server.count == 4)
    }

    @Test(
        "a flush in vain is over within its time, and its failure noted before",
        arguments: [0, 5, 300, 1200, 25_000] as [Int64])
    func flushInVain(_ milliseconds: Int64) {
        let app = Simulation()
        app.events(2)
        let deadline = app.phone.monotonic + milliseconds * 1_000_000
        nonisolated(unsafe) var told: (moment: Int64, failures: Int64?)?
        nonisolated(unsafe) let running = app
        app.machine.flush(until: deadline) { _ in
            told = (running.phone.monotonic, running.machine.journal?.ledger.wait.failures)
        }
        #expect(told == nil && app.network.requests.count == 1)
        while told == nil, let alarm = app.machine.alarm {
            app.network.monotonic = max(alarm, app.network.monotonic)
            app.machine.tick()
        }
        #expect(told?.failures == 1)
        #expect(told?.moment == deadline - min(milliseconds * 100_000, 100_000_000))
    }

    @Test("a folder that is deleted is made again by an upload, too")
    func deletedFolder() {
        let app = Simulation()
        app.events(2)
        app.damage { $0.delete() }
        app.finish()
        #expect(app.verdict() == [])
        #expect(app.machine.status.dropped == 2)
    }
}
