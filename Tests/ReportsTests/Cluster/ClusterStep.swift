import TestSupport

/// What is done to several nodes, their engine and the model of all of them.
enum ClusterStep: CaseIterable {
    /// Batches that no node has, one to each of some nodes.
    case post
    /// One that some node has, to any; its times are moved now and then.
    case postAgain
    /// Whole batches that are not taken.
    case refuse
    /// A node hands over what it has.
    case handOver
    /// The same, and somewhere an answer is lost.
    case handOverCut
    case restart
    /// The process ends without tidying up.
    case crash
    /// A node is put back from an older copy of it.
    case restore
    case backUp
    /// A node drops what it handed over long ago.
    case emptySpool
    /// What the engine has is copied.
    case copyEngine
    /// The engine is put back from its copy, and nodes are told so.
    case rollBack
    /// The engine ends and starts, and loses what it got in the last minutes.
    case loseRecent
    /// The engine brings its parts together.
    case merge
    case forwardAgain
    case erase
    case prune
    /// Everything is handed over, then all reports are compared.
    case compare

    /// How often it comes, beside the others.
    private var share: Int {
        switch self {
        case .post: 14
        case .postAgain: 10
        case .handOver, .handOverCut: 8
        case .refuse, .restart, .crash, .restore, .emptySpool, .rollBack, .merge: 2
        case .backUp, .copyEngine, .loseRecent, .forwardAgain, .prune: 2
        case .erase: 3
        case .compare: 4
        }
    }

    private static let all = allCases.flatMap { Array(repeating: $0, count: $0.share) }

    static func random(_ random: inout SplitMix) -> ClusterStep { random.pick(all) }
}
