import Testing

@testable import Core

/// What an app does in a few steps, and how the server answers: each takes the journal along one of its
/// ways. Every test of kills and faults goes through all of them.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    var script: [SimulatedServer.Reaction] = []
    /// Bytes of the journal at most.
    var journal = 5 << 20
    let body: @Sendable (Simulation) -> Void

    var testDescription: String { name }

    /// Runs it; what is left to do afterwards is `Simulation.finish`.
    func run(
        _ fate: SimulatedProcess.Fate, on folder: MemoryFolder = MemoryFolder()
    ) -> Simulation {
        var limits = Limits()
        limits.journal = journal
        let simulation = Simulation(folder, limits: limits, fate: fate)
        simulation.server.script = script
        body(simulation)
        return simulation
    }

    static let all: [Scenario] = [
        Scenario(name: "a session") {
            $0.foreground()
            $0.events(2)
            $0.flush()
            $0.events(1)
            $0.refusedCall()
            $0.background()
        },
        Scenario(name: "the answer is lost", script: [.storeAndLose]) {
            $0.events(3)
            $0.flush()
            $0.events(1)
            $0.advance(2000)
        },
        Scenario(
            name: "no answer, a portal's, another batch's, 503",
            script: [.lose, .portal, .storeAnother, .refuse(503, "overloaded")]
        ) { simulation in
            simulation.events(2)
            for _ in 0..<4 {
                simulation.flush()
                simulation.events(1)
                simulation.advance(10_000)
            }
        },
        Scenario(name: "refused for good", script: [.refuse(422, "invalid-batch")]) {
            $0.events(2)
            $0.refusedCall()
            $0.flush()
            $0.events(1)
            $0.flush()
        },
        Scenario(
            name: "split",
            script: Array(repeating: .refuse(413, "too-many-events"), count: 2)
        ) {
            $0.events(2)
            $0.refusedCall()
            $0.events(3)
            $0.flush()
            $0.events(1)
            $0.flush()
        },
        Scenario(
            name: "a part of what was split is lost, then refused",
            script: [
                .refuse(413, "body-too-large"), .lose, .store, .storeAndLose,
                .refuse(422, "invalid-batch"),
            ]
        ) { simulation in
            simulation.events(6)
            for _ in 0..<4 {
                simulation.flush()
                simulation.advance(10_000)
            }
        },
        Scenario(
            name: "a proxy lets too little through",
            script: [.tooLarge, .tooLarge, .store, .tooLarge]
        ) {
            $0.events(5)
            $0.refusedCall()
            $0.flush()
            $0.events(1)
            $0.flush()
            $0.advance(10_000)
        },
        Scenario(
            name: "a proxy lets too little through of what is stored",
            script: [.storeAndLose, .tooLarge, .tooLarge, .tooLarge]
        ) { simulation in
            simulation.events(4)
            for _ in 0..<5 {
                simulation.flush()
                simulation.advance(10_000)
            }
        },
        Scenario(
            name: "too slow a network",
            script: [
                .refuse(408, "request-timeout"), .storeAndLose, .refuse(408, "request-timeout"),
            ]
        ) {
            $0.events(5)
            $0.flush()
            $0.flush()
            $0.advance(10_000)
        },
        Scenario(name: "another device", script: [.storeAndLose]) {
            $0.events(2)
            $0.flush()
            $0.events(1)
            $0.forget()
            $0.events(2)
            $0.advance(2000)
            $0.flush()
        },
        Scenario(name: "another device, while a batch is on its way") {
            $0.events(2)
            $0.flush(settles: false)
            $0.forget()
            $0.events(1)
            $0.flush(settles: false)
            // The connection closes late.
            $0.advance(3000)
            $0.flush()
        },
        Scenario(name: "switched off and on", script: [.lose]) {
            $0.events(2)
            $0.flush()
            $0.events(1)
            $0.enable(false)
            $0.events(3)
            $0.restart()
            $0.events(1)
            $0.enable(true)
            $0.events(1)
            $0.advance(2000)
            $0.flush()
        },
        Scenario(name: "more than the journal holds", journal: 2048) { simulation in
            for _ in 0..<5 { simulation.events(4, padding: 80) }
            simulation.flush()
        },
        Scenario(
            name: "more than it holds, with a batch on its way", script: [.lose], journal: 2048
        ) { simulation in
            simulation.events(3, padding: 80)
            simulation.flush()
            for _ in 0..<5 { simulation.events(4, padding: 80) }
            simulation.advance(2000)
            simulation.flush()
        },
        Scenario(name: "several segments", journal: 65_536) { simulation in
            simulation.phone.capacity = 12_000
            for _ in 0..<3 { simulation.events(7, padding: 900) }
            simulation.flush()
        },
        Scenario(name: "held until another key comes", script: [.refuse(401, "unknown-key")]) {
            $0.events(2)
            $0.flush()
            $0.events(1)
            $0.flush()
            $0.restart(key: 2)
            $0.flush()
        },
        Scenario(name: "several starts", script: [.lose]) {
            $0.events(2)
            $0.restart()
            $0.events(1)
            $0.restart()
            $0.events(1)
            $0.flush()
            $0.advance(2000)
            $0.restart()
            $0.advance(2000)
        },
    ]
}
