/// Why an operation or a command could not be done: one line for people and the exit code that says
/// the same to programs (docs/operation.md, Exit codes).
package struct AdminFailure: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    package let exit: ExitStatus
    package let description: String

    package init(_ exit: ExitStatus, _ description: String) {
        self.exit = exit
        self.description = description
    }
}
