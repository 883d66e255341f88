import Dispatch
import Events
import Foundation
import Reports
import Storage
import Synchronization
import Testing

/// A store's whole life in random steps, beside a model: the list of the batches that it has answered.
/// All reports of the store must be those of a database into which the model was written row by row.
@Suite("the store agrees with a model of it")
struct ModelTests {
    /// What is done to store and model. What changes stored batches, and what copies them, goes here
    /// too.
    private enum Step: CaseIterable {
        /// A batch that was not posted yet: any, so that they come in any order.
        case post
        /// Several at once, with repeats among them.
        case postTogether
        /// One that is there.
        case postAgain
        /// Close and open.
        case restart
        /// The process ends without tidying up.
        case crash
        case checkpoint
        /// A copy of it, while it is open.
        case backUp
        /// Back to what one of the copies has.
        case restore
        /// All of it read back.
        case verify
        /// All reports.
        case compare

        /// Of 46 steps.
        var share: Int {
            switch self {
            case .post: 12
            case .postTogether: 8
            case .postAgain: 8
            case .restart: 2
            case .crash: 2
            case .checkpoint: 4
            case .backUp, .restore, .verify: 2
            case .compare: 4
            }
        }
    }

    /// Where the sequences begin, so that a failed one can be run alone.
    private static let seed = number("CHAOS_SEED") ?? 1
    private static let sequences = Int(number("CHAOS_MODELS") ?? 12)

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("after any sequence of posts, repeats, restarts, crashes, copies and returns to them")
    func randomSequences() throws {
        for seed in Self.seed..<(Self.seed + UInt64(Self.sequences)) {
            var random = SplitMix(seed: seed)
            let life = try ModelLife(&random)
            let steps = Step.allCases.flatMap { Array(repeating: $0, count: $0.share) }
            for _ in 0..<46 {
                let step = random.pick(steps)
                try Self.carryOut(step, on: life, &random)
                #expect(life.wrong == [], "\(step); run again with CHAOS_SEED=\(seed)")
                if !life.wrong.isEmpty { return }
            }
            try Self.carryOut(.compare, on: life, &random)
            #expect(life.wrong == [], "run again with CHAOS_SEED=\(seed)")
        }
    }

    private static func carryOut(
        _ step: Step, on life: ModelLife, _ random: inout SplitMix
    ) throws {
        switch step {
        case .post: life.post(life.fresh(1, &random))
        case .postTogether:
            var posts =
                life.fresh(1 + random.next(4), &random) + life.known(random.next(3), &random)
            posts += posts.filter { _ in random.next(3) == 0 }
            random.shuffle(&posts)
            life.post(posts)
        case .postAgain: life.post(life.known(1, &random))
        case .restart: try life.restart()
        case .crash: try life.crash()
        case .checkpoint: try life.checkpoint()
        case .backUp: try life.backUp()
        case .restore: try life.restore(&random)
        case .verify: try life.verify()
        case .compare: try life.compare(&random)
        }
    }
}
