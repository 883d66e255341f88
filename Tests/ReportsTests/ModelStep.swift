import TestSupport

@testable import Upkeep

/// What is done to a store and its model. What changes stored batches, and what copies them, goes here
/// too.
enum ModelStep: CaseIterable {
    /// A batch that is not there: any, so that they come in any order.
    case post
    /// Several at once, with repeats among them.
    case postTogether
    /// One that is there.
    case postAgain
    /// Whole batches that are not taken.
    case refuse
    /// Close and open.
    case restart
    /// The process ends without tidying up.
    case crash
    case checkpoint
    case prune
    /// One that is ended early; it ends when it is run again, perhaps by another process.
    case pruneInPieces
    case erase
    /// One in which the process ends.
    case eraseAndCrash
    /// A copy of it, while it is open.
    case backUp
    /// Back to what one of the copies has.
    case restore
    /// Attributes of segments in columns.
    case makeAttributes
    /// All of it read back.
    case verify
    /// All reports.
    case compare

    /// How often it comes, beside the others.
    private var share: Int {
        switch self {
        case .post: 12
        case .postTogether: 8
        case .postAgain: 6
        case .refuse, .restart, .crash, .pruneInPieces, .eraseAndCrash: 2
        case .checkpoint, .prune, .erase, .backUp, .restore: 3
        case .makeAttributes: 6
        case .verify: 2
        case .compare: 6
        }
    }

    private static let all = allCases.flatMap { Array(repeating: $0, count: $0.share) }

    static func random(_ random: inout SplitMix) -> ModelStep { random.pick(all) }
}
