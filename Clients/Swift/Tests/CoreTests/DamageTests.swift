import Testing

@testable import Core

/// Files that are not as they were written.
@Suite("Damage")
struct DamageTests {
    /// What a folder is in when it is damaged.
    private static let states: [Scenario] = [
        Scenario(name: "a batch that may be stored", script: [.storeAndLose]) {
            $0.events(2)
            $0.flush()
            $0.events(1)
            $0.refusedCall()
            $0.events(1)
        },
        Scenario(
            name: "a batch that was split", script: [.refuse(413, "too-many-events"), .lose]
        ) {
            $0.events(3)
            $0.refusedCall()
            $0.flush()
            $0.events(1)
        },
        Scenario(name: "what was sent, and what waits") {
            $0.events(1)
            $0.flush()
            $0.events(2)
            $0.restart()
            $0.events(1)
        },
    ]

    /// When it happens.
    enum Moment: CaseIterable { case running, stopped }

    @Test("no byte can change unseen", arguments: states, Moment.allCases)
    func flips(_ state: Scenario, _ moment: Moment) {
        let known = Self.recorded(state)
        for (name, count) in Self.files(state) {
            for index in stride(from: 0, to: count, by: moment == .running ? 11 : 1) {
                let problems = Self.verdict(state, known, moment, slack: 2) {
                    $0.files[name]?.written[index] ^= 1
                }
                #expect(problems == [], "byte \(index) of \(name)")
            }
        }
    }

    @Test("a line's end anywhere makes no event", arguments: states)
    func lineEnds(_ state: Scenario) {
        let known = Self.recorded(state)
        for (name, count) in Self.files(state) where name != "ledger" {
            for index in stride(from: 0, to: count, by: 5) {
                let problems = Self.verdict(state, known, .stopped, slack: 2) {
                    $0.files[name]?.written[index] = UInt8(ascii: "\n")
                }
                #expect(problems == [], "byte \(index) of \(name)")
            }
        }
    }

    @Test("a file that is cut off costs what is cut off", arguments: states)
    func truncated(_ state: Scenario) {
        let known = Self.recorded(state)
        for (name, count) in Self.files(state) {
            for size in stride(from: 0, to: count, by: 7) {
                let problems = Self.verdict(state, known, .stopped, slack: 10) {
                    $0.files[name]?.written.removeLast(count - size)
                }
                #expect(problems == [], "\(size) bytes of \(name)")
            }
        }
    }

    @Test("a file that is gone costs what was in it", arguments: states, Moment.allCases)
    func deleted(_ state: Scenario, _ moment: Moment) {
        for (name, _) in Self.files(state) {
            // While it runs, what was in the file is counted.
            let slack: Int64 = moment == .running ? 0 : 10
            let problems = Self.verdict(state, Self.recorded(state), moment, slack: slack) {
                $0.remove(name)
            }
            #expect(problems == [], "\(name)")
        }
    }

    @Test("whatever became of a file, nothing waits longer than it was told to", arguments: states)
    func waits(_ state: Scenario) {
        for (name, count) in Self.files(state) {
            for index in [-1] + stride(from: 0, to: count, by: 1) {
                let simulation = state.run(.survives)
                let rest = simulation.machine.status.next
                simulation.damage {
                    simulation.end()
                    if index < 0 { $0.remove(name) } else { $0.files[name]?.written[index] ^= 1 }
                }
                simulation.recover()
                simulation.events(1)
                simulation.flush()
                simulation.advance(rest + 1)
                let status = simulation.machine.status
                #expect(
                    status.waiting == 0 && status.failures == 0,
                    "byte \(index) of \(name): \(status), after \(rest) ms")
            }
        }
    }

    @Test("a folder that is deleted while it runs is made again, and what was in it is counted")
    func folder() {
        for state in Self.states {
            let known = Self.recorded(state)
            #expect(Self.verdict(state, known, .running, slack: 0) { $0.delete() } == [])
        }
    }

    @Test("what was frozen in a folder that is copied back is stored once")
    func copied() {
        let original = Scenario(name: "", script: [.lose]) {
            $0.events(2)
            $0.flush()
        }.run(.survives)
        let copy = original.folder.copy()
        original.finish()
        original.end()
        let other = Simulation(
            copy, original.network, limits: original.limits, number: 2, pause: {})
        other.finish()
        #expect(original.server.faults == [] && original.server.count == 2)
        #expect(other.machine.status.waiting == 0)
    }

    /// The events that a state records.
    private static func recorded(_ state: Scenario) -> Set<String> {
        let simulation = state.run(.survives)
        simulation.finish()
        return Set(simulation.server.events.keys)
    }

    /// The files of a state, and their sizes.
    private static func files(_ state: Scenario) -> [(String, Int)] {
        state.run(.survives).folder.files.filter { $0.key != "uploads" }
            .map { ($0.key, $0.value.written.count) }.sorted { $0.0 < $1.0 }
    }

    /// What is wrong when everything has been sent after a folder was changed.
    ///
    /// - Parameters:
    ///   - known: The events of the state.
    ///   - slack: How many events fewer may be accounted for, as lines that are run into one are.
    private static func verdict(
        _ state: Scenario, _ known: Set<String>, _ moment: Moment, slack: Int64,
        _ change: (MemoryFolder) -> Void
    ) -> [String] {
        let simulation = state.run(.survives)
        let stored = simulation.server.count
        let appended = simulation.appended.upperBound
        simulation.damage {
            if moment == .stopped { simulation.end() }
            change($0)
        }
        if moment == .stopped { simulation.recover() }
        simulation.events(1)
        simulation.finish()
        let server = simulation.server
        var problems = simulation.faults + server.faults
        let foreign = server.events.keys.filter { !known.contains($0) }
        // While it runs, a line may be appended to one whose end is damaged.
        if foreign.count > 1 || foreign.isEmpty && moment == .stopped {
            problems.append("sent what was never recorded: \(foreign)")
        }
        if simulation.machine.status.waiting != 0 { problems.append("something waits") }
        // What the server has may be counted, too; a line that is torn in two is counted twice.
        let accounted = Int64(server.count) + server.told
        if !(appended + 1 - slack...appended + 2 + Int64(stored)).contains(accounted) {
            problems.append("accounted for \(accounted) of \(appended + 1)")
        }
        return problems
    }
}
