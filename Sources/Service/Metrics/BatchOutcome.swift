/// What became of a batch, as a label.
enum BatchOutcome: Equatable {
    case accepted
    case duplicate
    case dryRun
    case refused(ProblemCode)

    /// In the order of their places.
    static let all: [BatchOutcome] =
        [.accepted, .duplicate, .dryRun] + ProblemCode.allCases.map(BatchOutcome.refused)

    private static let codes = Dictionary(
        uniqueKeysWithValues: ProblemCode.allCases.enumerated().map { ($1, $0) })

    var place: Int {
        switch self {
        case .accepted: 0
        case .duplicate: 1
        case .dryRun: 2
        case .refused(let code): 3 + (Self.codes[code] ?? 0)
        }
    }

    var label: String {
        switch self {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .dryRun: "dry-run"
        case .refused(let code): code.rawValue
        }
    }
}
