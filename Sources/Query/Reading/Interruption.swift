import Synchronization

/// Ends a report from another thread, together with `Connection.interrupt`: SQLite forgets an
/// interruption between two statements, and a report also works without SQLite. So the caller
/// raises this flag too; the report checks it before each statement, between lines and between its
/// steps.
package final class Interruption: Sendable {
    private let flag = Atomic(false)
    /// The memory that the report holds: the report also has to end where that is too much.
    package let account: ReportAccount

    /// A flag that is not raised.
    /// - Parameter account: of the report
    package init(_ account: ReportAccount = .unbounded) { self.account = account }

    /// Makes the report end with an error that is an interruption. Any thread may call it; there is
    /// no way back.
    package func raise() { flag.store(true, ordering: .relaxed) }

    /// The error that a report throws if it has to end and no other error says so.
    package var error: QueryError {
        QueryError(account.isOver ? .overMemory : .interrupted, "cannot answer: interrupted")
    }

    /// Whether the report has to end.
    package var isRaised: Bool { flag.load(ordering: .relaxed) || account.isOver }
}

extension Interruption {
    /// Makes the text of an answer. Meanwhile the report holds both the answer and the text. Throws
    /// if the report has to end.
    /// - Parameters:
    ///   - held: how many bytes the answer takes
    ///   - size: how many bytes the text takes while it is written, about
    package func text(
        of held: Int, about size: Int, _ make: () -> [UInt8]
    ) throws(QueryError) -> [UInt8] {
        func check() throws(QueryError) {
            if isRaised { throw error }
        }
        var room = HeldBytes(account, held + size)
        try check()
        let text = make()
        room.set(held + text.allocatedBytes)
        try check()
        return text
    }
}
