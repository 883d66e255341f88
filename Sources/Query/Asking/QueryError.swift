import Database
import Storage

/// Why a question has no answer.
package struct QueryError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Kind: Sendable {
        /// It was interrupted: it took too long, or nobody wants the answer any more.
        case interrupted
        /// It would hold more memory than `report-memory` leaves it.
        case overMemory
        /// The storage of the events cannot be read, or not now.
        case unavailable
        /// The storage is not as it was written.
        case damaged
    }

    /// What kind of failure it is.
    package let kind: Kind
    /// What was done and how it failed.
    package let description: String
    /// The engine's own error, for callers that know the engine.
    package let cause: (any Error)?

    /// A failure; the description is for the operator.
    package init(_ kind: Kind, _ description: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.description = description
        self.cause = cause
    }

    /// Whether the question ended because it was interrupted, or because it would hold too much.
    package var isInterruption: Bool { kind == .interrupted || kind == .overMemory }
}

extension QueryError {
    /// An error of the database as one of the protocol.
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
