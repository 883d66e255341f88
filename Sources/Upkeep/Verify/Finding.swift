import Storage

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
