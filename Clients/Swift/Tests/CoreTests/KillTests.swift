import Testing

@testable import Core

/// A kill and a power cut at every operation of the journal, and within each that writes.
@Suite("Kills")
struct KillTests {
    @Test("without a kill the account holds", arguments: Scenario.all)
    func alive(_ scenario: Scenario) {
        let simulation = scenario.run(.survives)
        simulation.finish()
        #expect(simulation.verdict() == [])
    }

    @Test("killed anywhere, the next start accounts for every event", arguments: Scenario.all)
    func kills(_ scenario: Scenario) {
        attack(scenario, isPowerCut: false)
    }

    @Test("after a power cut, too, but for what was not synced", arguments: Scenario.all)
    func powerCuts(_ scenario: Scenario) {
        attack(scenario, isPowerCut: true)
    }

    private func attack(_ scenario: Scenario, isPowerCut: Bool) {
        let changes = scenario.run(.survives).phone.process.changes
        #expect(changes.count > 8)
        // What is whole and not synced is lost by a power cut alone.
        let shares = isPowerCut ? [0, 0.6, 1] : [0, 0.6]
        for change in changes {
            for share in shares where share == 0 || change.hasParts {
                let fate = SimulatedProcess.Fate.killed(at: change.operation, share: share)
                let simulation = scenario.run(fate)
                simulation.recover(isPowerCut: isPowerCut)
                simulation.events(1)
                simulation.finish()
                #expect(simulation.verdict() == [], "\(fate)")
            }
        }
    }
}
