import Service

/// What `doctor` says of one thing it looked at (docs/operation.md, Doctor).
struct Finding: Equatable, Sendable {
    enum State: String, Sendable {
        case ok
        /// Worth knowing, and nothing to do about it unless one wants to.
        case note
        /// A weak spot: everything works, and something should be done.
        case warning
        /// Does not work, or will not for long.
        case broken
    }

    /// What was looked at: one of a few words that stay the same.
    let check: String
    let state: State
    /// One line: what was found, and what to do.
    let detail: String

    init(_ check: String, _ state: State, _ detail: String) {
        self.check = check
        self.state = state
        self.detail = detail
    }

    var members: [(String, JSONValue)] {
        [("check", .text(check)), ("state", .text(state.rawValue)), ("detail", .text(detail))]
    }
}
