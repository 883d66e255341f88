import Testing

@testable import Core

@Suite("Bounds")
struct BoundTests {
    @Test(
        "files stay below a quarter more than the bound and 768 KiB, whatever is on its way",
        arguments: [16 << 10, 256 << 10])
    func files(_ journal: Int) {
        var limits = Limits()
        limits.journal = journal
        let simulation = Simulation(limits: limits)
        simulation.server.script = [
            .refuse(413, "body-too-large"), .lose, .refuse(503, "overloaded"),
        ]
        var largest = 0
        // More than the larger bound and what may be beside it.
        for round in 0..<60 {
            simulation.events(30, padding: 900)
            largest = max(largest, simulation.folder.size)
            if round % 20 == 0 { simulation.flush() }
            if round % 15 == 0 { simulation.restart() }
        }
        #expect(largest > journal / 2)
        simulation.finish()
        #expect(simulation.verdict() == [])
        #expect(simulation.machine.status.dropped > 500)
    }
}
