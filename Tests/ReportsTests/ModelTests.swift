import Foundation
import TestSupport
import Testing

/// A store's whole life in random steps, beside a model. All reports of the store must be those of a
/// database into which the model was written row by row, and of the brute-force twin.
@Suite("the store agrees with a model of it", .tags(.long))
struct ModelTests {
    /// Where the sequences begin, so that a failed one can be run alone.
    private static let seed = number("CHAOS_SEED") ?? 1
    private static let sequences = Int(number("CHAOS_MODELS") ?? 12)
    private static let steps = 60

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(
        "after any sequence of posts, repeats, restarts, crashes, prunes, erasures, copies and returns"
    )
    func randomSequences() throws {
        for seed in Self.seed..<(Self.seed + UInt64(Self.sequences)) {
            var random = SplitMix(seed: seed)
            let life = try ModelLife(&random)
            do {
                for _ in 0..<Self.steps where life.wrong.isEmpty {
                    try life.carryOut(ModelStep.random(&random), &random)
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
                run again with CHAOS_SEED=\(seed) CHAOS_MODELS=1 make check ROOM=Reports TEST=ModelTests
                """)
            return
        }
    }
}
