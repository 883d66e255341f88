import Testing

@testable import Core

/// A failing disk at every operation of the journal.
@Suite("Faults")
struct FaultTests {
    /// Operations that fail in a row where it is not one alone.
    private static let span = 12

    @Test("an operation that fails once costs no event", arguments: Scenario.all)
    func once(_ scenario: Scenario) {
        attack(scenario, Array(1...operations(scenario))) { operation, share in
            .failing(operation..<operation + 1, share: share)
        }
    }

    @Test("a disk that fails for a while costs no event", arguments: Scenario.all)
    func aWhile(_ scenario: Scenario) {
        let operations = Array(stride(from: 1, through: operations(scenario), by: 6))
        attack(scenario, operations) { operation, share in
            .failing(operation..<operation + Self.span, share: share)
        }
    }

    @Test("a disk that is full for a while costs no event", arguments: Scenario.all)
    func full(_ scenario: Scenario) {
        let changes = scenario.run(.survives).phone.process.changes
        attack(scenario, changes.map(\.operation)) { operation, share in
            .full(operation..<operation + Self.span, share: share)
        }
    }

    private func operations(_ scenario: Scenario) -> Int { scenario.run(.survives).operations }

    private func attack(
        _ scenario: Scenario, _ operations: [Int],
        _ fate: (Int, Double) -> SimulatedProcess.Fate
    ) {
        let changes = scenario.run(.survives).phone.process.changes
        let parted = Set(changes.filter(\.hasParts).map(\.operation))
        for operation in operations {
            for share in parted.contains(operation) ? [0, 0.6, 1] : [0] {
                let fate = fate(operation, share)
                let simulation = scenario.run(fate)
                simulation.finish()
                #expect(simulation.verdict() == [], "\(fate)")
            }
        }
    }
}
