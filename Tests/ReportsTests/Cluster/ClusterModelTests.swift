import EngineTestSupport
import Foundation
import TestSupport
import Testing

/// The life of several nodes and their engine in random steps, beside a model: hand-over with lost answers,
/// copies at other nodes, an engine that loses or is put back, nodes that crash or are put back, erasures and
/// prunes. All reports must be those of one database into which the model was written row by row.
@Suite(
    "several nodes and their engine agree with a model of them", .tags(.long),
    .enabled(if: !TestEngine.addresses.isEmpty, "no engines in SOJOURN_TEST_ENGINES"), .serialized)
struct ClusterModelTests {
    private static let seed = number("CHAOS_SEED") ?? 1
    private static let sequences = Int(number("CHAOS_MODELS") ?? 1)
    private static let steps = 50

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("after any sequence of steps", arguments: TestEngine.clusters)
    func randomSequences(cluster: [String]) throws {
        let engine = try TestEngine(
            cluster, database: "model")
        defer { engine.remove() }
        for seed in Self.seed..<(Self.seed + UInt64(Self.sequences)) {
            var random = SplitMix(seed: seed)
            let life = try ClusterLife(engine, &random)
            do {
                for _ in 0..<Self.steps where life.wrong.isEmpty {
                    try life.carryOut(ClusterStep.random(&random), &random)
                }
                if life.wrong.isEmpty { try life.carryOut(.compare, &random) }
            } catch {
                life.wrong.append("\(error)")
            }
            if life.wrong.isEmpty { continue }
            Issue.record(
                """
                \(life.wrong.joined(separator: "\n"))
                after these steps:
                \(life.story.joined(separator: "\n"))
                run again with CHAOS_SEED=\(seed) CHAOS_MODELS=1 \
                Tests/Engines/run.py make check ROOM=Reports TEST=ClusterModelTests
                """)
            return
        }
    }
}
