import Testing

@testable import Core

/// Lives of a phone: what an app does at random, with a kill or a power cut at a random operation, again
/// and again.
@Suite("Lives")
struct LifeTests {
    @Test("killed again and again, every event is accounted for", arguments: 0..<8)
    func lives(_ part: Int) {
        for seed in part * 20..<(part + 1) * 20 {
            #expect(Self.verdict(UInt64(seed)) == [], "seed \(seed)")
        }
    }

    private static func verdict(_ seed: UInt64) -> [String] {
        var draws = SplitMix(seed: seed)
        var limits = Limits()
        limits.journal = [2048, 6000, 1 << 20].randomElement(using: &draws) ?? 0
        let simulation = Simulation(limits: limits, fate: fate(0, &draws))
        for _ in 0..<4 {
            simulation.server.script = (0..<3).map { _ in .random(&draws) }
            for _ in 0..<8 { simulation.step(.random(in: 0..<20, using: &draws)) }
            simulation.recover(
                isPowerCut: .random(using: &draws), fate: fate(simulation.operations, &draws))
        }
        simulation.recover()
        simulation.finish()
        return simulation.verdict()
    }

    private static func fate(
        _ operations: Int, _ draws: inout SplitMix
    ) -> SimulatedProcess.Fate {
        .killed(
            at: operations + .random(in: 1...150, using: &draws),
            share: [0, 0.3, 0.6, 1].randomElement(using: &draws) ?? 0)
    }
}
