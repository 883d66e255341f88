import Database
import Dispatch
import Query
import Storage
import Synchronization

/// A report on its way through the executor: it waits, computes, is over. Its result is reported
/// once; that of a cancelled one never.
///
/// To end it while it computes, a flag is raised that it looks at, and its connection is interrupted
/// again and again: SQLite forgets an interruption that comes between two statements.
final class ReportJob: Sendable {
    /// Computes, with exclusive use of a connection meanwhile. Returns a closure that reports the
    /// result; that is called unless the time was over before, or nobody wants it any more.
    typealias Work =
        @Sendable (Connection, Interruption) throws -> @Sendable () -> Void
    typealias Failed = @Sendable (ReportFailure) -> Void

    /// Between two interruptions.
    private static let pause = DispatchTimeInterval.milliseconds(20)

    private struct State {
        /// Until it begins, or is ended before.
        var work: Work?
        /// Until its result is reported, or nobody wants it.
        var failed: Failed?
        /// While it computes.
        var connection: Connection?
        /// When it began to, milliseconds since 1970.
        var begunAt: Int64 = 0
        var isEnding = false
    }

    /// What it is called where people ask what reads for long.
    let name: String
    /// The row of the token that asked for it; nil where none did.
    let token: Int64?
    /// It is the next page of an answer that has begun.
    let continuesStream: Bool
    /// The greatest memory that it has held, in bytes.
    var peakBytes: Int { interruption.account.greatest }
    private let state: Mutex<State>
    private let interruption: Interruption

    /// - Parameters:
    ///   - account: counts what it holds
    ///   - failed: called where it has no answer
    init(
        _ account: ReportAccount, named name: String = "report", continuesStream: Bool,
        _ work: @escaping Work, failed: @escaping Failed
    ) {
        self.name = name
        token = account.token
        interruption = Interruption(account)
        self.continuesStream = continuesStream
        state = Mutex(State(work: work, failed: failed))
    }

    /// What it reads, since when; nil where it does not compute.
    var reader: ReaderSummary? {
        state.withLock { state in
            state.connection.map { _ in ReaderSummary(what: name, since: state.begunAt) }
        }
    }

    /// It has not begun, and was not ended before.
    var isWanted: Bool { state.withLock { $0.work != nil } }

    /// Computes and reports the result. Nothing of it touches the connection afterwards.
    /// - Parameters:
    ///   - timeout: milliseconds; then that is reported, and it is ended as soon as possible
    ///   - clock: a serial queue on which nothing takes long
    func compute(on connection: Connection, timeout: Int64, clock: DispatchQueue) {
        let begun = state.withLock { state in
            let work = state.work.take()
            if work != nil {
                (state.connection, state.begunAt) = (connection, Timestamp.milliseconds)
            }
            return work
        }
        guard let work = begun else { return }
        let timer = DispatchSource.makeTimerSource(queue: clock)
        timer.setEventHandler { self.end(.timeout, clock: clock) }
        timer.schedule(
            deadline: .now() + .milliseconds(Int(timeout)), leeway: .milliseconds(1))
        timer.activate()
        let outcome = Result { try work(connection, interruption) }
        timer.cancel()
        let failed = state.withLock { state in
            state.connection = nil
            return state.failed.take()
        }
        guard let failed = failed else { return }
        switch outcome {
        case .success(let tell): tell()
        case .failure(let error):
            let account = interruption.account
            let error =
                error as? QueryError ?? (error as? StorageError).map { QueryError($0, account) }
                ?? QueryError(.unavailable, "\(error)")
            // The one cause that ends it so and has reported nothing.
            failed(error.isInterruption && account.isOver ? .tooLarge : .database(error))
        }
    }

    /// Ends it, in whatever state.
    /// - Parameter failure: what is reported; nil: nothing, its client is gone
    func end(_ failure: ReportFailure?, clock: DispatchQueue) {
        let (failed, interrupts) = state.withLock { state in
            state.work = nil
            let interrupts = state.connection != nil && !state.isEnding
            state.isEnding = true
            return (state.failed.take(), interrupts)
        }
        if interrupts { keepInterrupting(clock) }
        if let failed = failed, let failure { failed(failure) }
    }

    private func keepInterrupting(_ clock: DispatchQueue) {
        // With the lock held: the connection must not be hit when it is another report's.
        let computes = state.withLock { state in
            guard let connection = state.connection else { return false }
            interruption.raise()
            connection.interrupt()
            return true
        }
        if computes {
            clock.asyncAfter(deadline: .now() + Self.pause) { self.keepInterrupting(clock) }
        }
    }
}

/// What reads the database, in one state of it, and so holds the WAL.
package struct ReaderSummary: Codable, Sendable, Equatable {
    /// Such as `report active`.
    package let what: String
    /// Milliseconds since 1970.
    package let since: Int64

    var members: [(String, JSONValue)] { [("what", .text(what)), ("since", .integer(since))] }
}
