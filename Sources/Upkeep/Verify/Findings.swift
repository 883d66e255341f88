import Database
import Storage

/// What was found so far: the first findings whole, the rest counted.
struct Findings {
    /// How many are kept whole.
    static let maxKept = 100

    private(set) var kept: [Finding] = []
    private(set) var leftOut = 0
    /// Whether there is one that only a backup helps against.
    private(set) var needsBackup = false

    mutating func add(_ finding: Finding) {
        if finding.advice == Finding.restoring { needsBackup = true }
        if kept.count < Self.maxKept { kept.append(finding) } else { leftOut += 1 }
    }

    /// Runs a step; where the file cannot be read that is a finding, and the next step may follow.
    /// - Throws: what is no damage.
    mutating func collect(
        _ subject: String, _ step: (inout Findings) throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try step(&self)
        } catch {
            guard case .damaged(_, let found) = error else { throw error }
            add(Finding(subject, "cannot be read: \(found)"))
        }
    }
}

/// One thing that `verify` found wrong. No text in it comes from a device.
package struct Finding: Sendable, Equatable {
    /// What is concerned: `batch 17`, `table app`, `the file`.
    package let subject: String
    /// What is wrong with it.
    package let fault: String
    /// What helps.
    package let advice: String

    /// What helps against damage of any kind.
    static let restoring = "bring back a backup"

    init(_ subject: String, _ fault: String, advice: String = restoring) {
        self.subject = subject
        self.fault = fault
        self.advice = advice
    }

    /// One line: what, how, what to do.
    package var description: String { "\(subject) \(fault); \(advice)" }
}
