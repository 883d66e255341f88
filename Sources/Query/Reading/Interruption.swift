import Synchronization

/// The way to end a report from another thread, together with `Connection.interrupt`: SQLite forgets
/// an interruption that comes between statements, and a report also works by itself. So this flag is
/// raised too; the report looks at it before each statement, between lines and between its steps.
package final class Interruption: Sendable {
    private let flag = Atomic(false)
    /// What the report holds: where that is too much it is to end as well.
    package let account: ReportAccount

    /// One that has not been raised.
    /// - Parameter account: of the report
    package init(_ account: ReportAccount = .unbounded) { self.account = account }

    /// Has the report end with an error that is an interruption. From any thread; for good.
    package func raise() { flag.store(true, ordering: .relaxed) }

    /// What a report that is to end throws where nothing else does.
    package var error: QueryError {
        QueryError(account.isOver ? .overMemory : .interrupted, "cannot answer: interrupted")
    }

    /// Whether the report is to end.
    package var isRaised: Bool { flag.load(ordering: .relaxed) || account.isOver }
}

extension Interruption {
    /// The text of an answer, which counts as held by the report while it is made, together with the answer.
    /// Throws if the report is to end.
    /// - Parameters:
    ///   - held: bytes of the answer
    ///   - size: bytes that the text takes while it is written, about
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
