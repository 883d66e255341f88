import Testing

@testable import Core

/// A 413 of something on the way (client.md §5).
@Suite("A proxy that lets too little through")
struct ProxyTests {
    /// Uploads, and lets waits pass, until so many requests have come; with a restart before each, if that is
    /// wanted.
    private func post(_ app: Simulation, until requests: Int, restarts: Bool = false) {
        for _ in 0..<50 where app.server.requests < requests {
            if restarts { app.restart() }
            app.flush()
            if app.server.requests < requests { app.advance(app.machine.status.next + 1) }
        }
    }

    private func sizes(_ app: Simulation) -> [Int] {
        app.server.order.compactMap { app.server.stored[$0]?.events.count }
    }

    @Test("a batch that cannot be stored is split at once, and nothing waits for it")
    func first() {
        let app = Simulation()
        app.events(8)
        app.server.script = [.tooLarge, .tooLarge]
        app.flush()
        #expect(sizes(app) == [2, 2, 2, 2] && app.server.requests == 6)
        #expect(app.machine.status.failures == 0 && app.machine.status.next == 0)
        #expect(app.phone.lines.allSatisfy { $0.contains("a proxy on the way lets too little") })
        #expect(app.phone.lines.count == 2 && app.verdict() == [])
    }

    @Test(
        "one that may be stored waits twice, and is split at the third time",
        arguments: [true, false])
    func doubtful(_ restarts: Bool) {
        let app = Simulation()
        app.events(4)
        app.server.script = [.lose, .tooLarge, .tooLarge]
        post(app, until: 3, restarts: restarts)
        #expect(app.machine.status.waiting == 4 && app.machine.status.failures == 3)
        #expect(app.machine.journal?.ledger.frozen?.events == 4)
        app.server.script = [.tooLarge]
        post(app, until: 6, restarts: restarts)
        #expect(sizes(app) == [2, 2] && app.machine.status.failures == 0)
        #expect(app.verdict() == [])
    }

    @Test("another answer between begins the count anew")
    func interrupted() {
        let app = Simulation()
        app.events(4)
        app.server.script = [
            .lose, .tooLarge, .tooLarge, .refuse(503, "overloaded"), .tooLarge, .tooLarge,
        ]
        post(app, until: 7)
        #expect(sizes(app) == [4] && app.verdict() == [])
    }

    @Test("a single event is never dropped: it waits, as the same batch")
    func single() {
        let app = Simulation()
        app.events(1)
        app.server.script = Array(repeating: .tooLarge, count: 12)
        post(app, until: 6, restarts: true)
        let status = app.machine.status
        #expect(status.waiting == 1 && status.dropped == 0 && status.failures == 6)
        app.finish()
        #expect(sizes(app) == [1] && app.verdict() == [])
        #expect(app.machine.status.failures == 0)
    }
}
