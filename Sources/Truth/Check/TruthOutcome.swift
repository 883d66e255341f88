/// What a check has found.
package struct TruthOutcome: Sendable {
    /// How many differences are kept.
    package static let keptCount = 20

    package internal(set) var questions = 0
    /// Rows compared, those that only one side has too.
    package internal(set) var rows = 0
    /// All differences.
    package internal(set) var differenceCount = 0
    /// How many, by the name of the report.
    package internal(set) var countByReport: [String: Int] = [:]
    /// The first of them.
    package internal(set) var differences: [TruthDifference] = []

    mutating func insert(_ difference: TruthDifference) {
        differenceCount += 1
        countByReport[difference.report, default: 0] += 1
        if differences.count < Self.keptCount { differences.append(difference) }
    }
}
