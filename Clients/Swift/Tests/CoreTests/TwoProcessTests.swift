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

    private static func verdict(_ seed: UInt64) -> [String] {
        var draws = SplitMix(seed: seed)
        let folder = MemoryFolder()
        let network = SimulatedPhone.Network(SimulatedServer())
        network.server.script = (0..<6).map { _ in reaction(&draws) }
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
            let steps = (0..<10).map { _ in UInt64.random(in: 0..<20, using: &draws) }
            let fate = index == 0 ? .survives : fates.randomElement(using: &draws) ?? .survives
            return {
                let process = Simulation(
                    folder, network, limits: limits, number: index + 1, fate: fate,
                    pause: { turns.pause(index) })
                processes.append(process)
                for step in steps { Self.step(step, process) }
            }
        }
        turns.run(bodies)
        for process in processes { process.end() }
        processes[0].phone.process.pause = {}
        processes[0].recover()
        processes[0].finish()
        return processes[0].verdict(with: [processes[1]])
    }

    private static func step(_ number: UInt64, _ process: Simulation) {
        switch number {
        case 0...5: process.events(Int(number) % 3 + 1, padding: 40)
        case 6...11: process.flush()
        case 12: process.refusedCall()
        case 13: process.foreground()
        case 14: process.background()
        case 15: process.forget()
        case 16: process.restart()
        case 17: process.advance(400)
        default: process.advance(3000)
        }
    }

    private static func reaction(_ draws: inout SplitMix) -> SimulatedServer.Reaction {
        switch Int.random(in: 0..<10, using: &draws) {
        case 0: .lose
        case 1: .storeAndLose
        case 2, 3: .refuse(413, "too-many-events")
        case 4: .refuse(422, "invalid-batch")
        case 5: .refuse(408, "request-timeout")
        case 6: .refuse(503, "overloaded")
        default: .store
        }
    }
}
