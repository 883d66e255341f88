import Database
import Dispatch
import Query
import Storage
import Synchronization

/// A report on its way through the executor: it waits, computes, is over. What came of it is told
/// once; of one that was cancelled nothing is told.
///
/// To end it while it computes, a flag is raised that it looks at, and its connection is interrupted
/// again and again: SQLite forgets an interruption that comes between two statements.
final class ReportJob: Sendable {
    /// Computes, with a connection that is its alone meanwhile. Returns what tells the result; that
    /// is called unless the time was over before, or nobody wants it any more.
    typealias Work =
        @Sendable (Connection, Interruption) throws -> @Sendable () -> Void
    typealias Failed = @Sendable (ReportFailure) -> Void

    /// Between two interruptions.
    private static let pause = DispatchTimeInterval.milliseconds(20)

    private struct State {
        /// Until it begins, or is ended before.
        var work: Work?
        /// Until it is told what came of it, or nobody wants to know.
        var failed: Failed?
        /// While it computes.
        var connection: Connection?
        var isEnding = false
    }

    /// The row of the token that asked for it; nil where none did.
    let token: Int64?
    /// It is the next page of an answer that has begun.
    let continuesStream: Bool
    /// The most that it has held, in octets.
    var mostHeld: Int { interruption.account.greatest }
    private let state: Mutex<State>
    private let interruption: Interruption

    /// - Parameters:
    ///   - account: told what it holds
    ///   - failed: called where it has no answer
    init(
        _ account: ReportAccount, continuesStream: Bool, _ work: @escaping Work,
        failed: @escaping Failed
    ) {
        token = account.token
        interruption = Interruption(account)
        self.continuesStream = continuesStream
        state = Mutex(State(work: work, failed: failed))
    }

    /// It has not begun, and was not ended before.
    var isWanted: Bool { state.withLock { $0.work != nil } }

    /// Computes and tells. Nothing of it touches the connection afterwards.
    /// - Parameters:
    ///   - timeout: milliseconds; then it is told that, and ended as soon as may be
    ///   - clock: a serial queue on which nothing takes long
    func compute(on connection: Connection, timeout: Int64, clock: DispatchQueue) {
        let begun = state.withLock { state in
            let work = state.work.take()
            if work != nil { state.connection = connection }
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
        let toldYet = state.withLock { state in
            state.connection = nil
            return state.failed.take()
        }
        guard let failed = toldYet else { return }
        switch outcome {
        case .success(let tell): tell()
        case .failure(let error):
            let account = interruption.account
            let error =
                error as? QueryError ?? (error as? StorageError).map { QueryError($0, account) }
                ?? QueryError(.unavailable, "\(error)")
            // The one thing that ends it so and has told nobody.
            failed(error.isInterruption && account.isOver ? .tooLarge : .database(error))
        }
    }

    /// Ends it, wherever it stands.
    /// - Parameter failure: what is told; nil: nothing, nobody is there any more
    func end(_ failure: ReportFailure?, clock: DispatchQueue) {
        let (toldYet, insists) = state.withLock { state in
            state.work = nil
            let insists = state.connection != nil && !state.isEnding
            state.isEnding = true
            return (state.failed.take(), insists)
        }
        if insists { insist(clock) }
        if let failed = toldYet, let failure { failed(failure) }
    }

    private func insist(_ clock: DispatchQueue) {
        // With the lock held: the connection must not be hit when it is another report's.
        let computes = state.withLock { state in
            guard let connection = state.connection else { return false }
            interruption.raise()
            connection.interrupt()
            return true
        }
        if computes { clock.asyncAfter(deadline: .now() + Self.pause) { self.insist(clock) } }
    }
}
