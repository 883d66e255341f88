import Database
import Storage

/// Why a question has no answer.
package struct QueryError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Kind: Sendable {
        /// It was told to end: it took too long, or nobody wants the answer any more.
        case interrupted
        /// It would hold more than `report-memory` leaves it.
        case overMemory
        /// What keeps the events cannot be read, or not now.
        case unavailable
        /// What is kept is not as it was written.
        case damaged
    }

    /// What kind of failure it is.
    package let kind: Kind
    /// What was done and how it failed.
    package let description: String
    /// The error of the engine below, for those who hold that engine.
    package let cause: (any Error)?

    /// A failure; the description is for the operator.
    package init(_ kind: Kind, _ description: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.description = description
        self.cause = cause
    }

    /// Whether it ended because it was told to, or because it would hold too much.
    package var isInterruption: Bool { kind == .interrupted || kind == .overMemory }
}

extension QueryError {
    /// What the database says, in the words of the protocol.
    /// - Parameter account: of the question
    package init(_ error: StorageError, _ account: ReportAccount? = nil) {
        let kind: Kind =
            if error.isInterruption {
                account?.isOver == true ? .overMemory : .interrupted
            } else if case .damaged = error {
                .damaged
            } else {
                .unavailable
            }
        self.init(kind, "\(error)", cause: error)
    }
}
