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
