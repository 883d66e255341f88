import Testing

@testable import Core

/// Two processes on one folder, whose operations are interleaved as a seed says.
@Suite("Two processes")
struct TwoProcessTests {
    @Test("both accounts hold, whatever the order of their operations", arguments: 0..<8)
    func interleaved(_ part: Int) {
        for seed in part * 25..<(part + 1) * 25 {
            #expect(Self.verdict(UInt64(seed)) == [], "seed \(seed)")
        }
    }

    @Test("a failure while another process's step is read costs no event")
    func readingFails() {
        let operations = Self.turnByTurn(.survives).operations
        #expect(operations > 100)
        for operation in 1...operations {
            let first = Self.turnByTurn(.failing(operation..<operation + 3, share: 0))
            #expect(first.verdict == [], "operation \(operation)")
        }
    }

    /// One process does something, then the other: each finds what the other's steps have left.
    private static func turnByTurn(
        _ fate: SimulatedProcess.Fate
    ) -> (operations: Int, verdict: [String]) {
        let folder = MemoryFolder()
        let network = SimulatedPhone.Network(SimulatedServer())
        var limits = Limits()
        limits.journal = 2048
        func process(_ number: Int, _ fate: SimulatedProcess.Fate) -> Simulation {
            Simulation(folder, network, limits: limits, number: number, fate: fate, pause: {})
        }
        let first = process(1, fate)
        first.events(2)
        first.restart()
        first.events(2)
        let second = process(2, .survives)
        for _ in 0..<3 {
            second.events(3, padding: 80)
            second.flush()
            first.events(3, padding: 80)
            second.events(1)
            second.flush()
            first.flush()
        }
        let operations = first.operations
        first.end()
        second.end()
        second.recover()
        second.finish()
        return (operations, second.verdict(with: [first]))
    }

    private static func verdict(_ seed: UInt64) -> [String] {
        var draws = SplitMix(seed: seed)
        let folder = MemoryFolder()
        let network = SimulatedPhone.Network(SimulatedServer())
        network.server.script = (0..<6).map { _ in .random(&draws) }
        var limits = Limits()
        limits.journal = [2048, 1 << 20].randomElement(using: &draws) ?? 0
        let turns = Turns(2, seed: draws.next())
        let at = Int.random(in: 1...300, using: &draws)
        let fates: [SimulatedProcess.Fate] = [
            .survives, .killed(at: at, share: 0.6), .failing(at..<at + 1, share: 0.6),
            .failing(at..<at + 12, share: 0.6), .full(at..<at + 40, share: 0),
        ]
        var processes: [Simulation] = []
        let bodies = (0..<2).map { index in
            let steps = (0..<10).map { _ in Int.random(in: 0..<20, using: &draws) }
            let fate = index == 0 ? .survives : fates.randomElement(using: &draws) ?? .survives
            return {
                let process = Simulation(
                    folder, network, limits: limits, number: index + 1, fate: fate,
                    pause: { turns.pause(index) })
                processes.append(process)
                for step in steps { process.step(step) }
            }
        }
        turns.run(bodies)
        for process in processes { process.end() }
        processes[0].phone.process.pause = {}
        processes[0].recover()
        processes[0].finish()
        return processes[0].verdict(with: [processes[1]])
    }
}
