import Dispatch
import Storage
import Synchronization

/// Makes backups beside everything else, one at a time. The command that asked for one polls how far it
/// is: no request lasts as long as a backup may.
final class BackupJobs: Sendable {
    /// Nanoseconds: a disk that hangs does not make it slower than it is.
    private static let longestPause: UInt64 = 100_000_000

    private struct State {
        var current: BackupState?
        /// When that began, milliseconds since 1970.
        var begunAt: Int64 = 0
        var failure: AdminFailure?
        var isRunning = false
        var isClosing = false
    }

    private let store: Store
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "sojourn.backup", qos: .utility)
    /// Signalled when it is to end: no pause is waited for.
    private let closing = DispatchSemaphore(value: 0)

    init(store: Store) { self.store = store }

    /// Begins one.
    /// - Throws: a failure of kind busy while another is being made.
    func start(directory: String, withKey: Bool) throws(AdminFailure) -> BackupState {
        let begun: BackupState? = state.withLock { state in
            if state.isRunning || state.isClosing { return nil }
            let begun = BackupState(number: (state.current?.number ?? 0) + 1)
            state.current = begun
            state.begunAt = Timestamp.milliseconds
            state.failure = nil
            state.isRunning = true
            return begun
        }
        guard let begun else {
            throw AdminFailure(.busy, "a backup is being made already; try again when it is done")
        }
        queue.async { [self] in run(directory: directory, withKey: withKey) }
        return begun
    }

    /// How far it is.
    /// - Throws: why it failed.
    func state(of number: Int) throws(AdminFailure) -> BackupState {
        let (current, failure) = state.withLock { ($0.current, $0.failure) }
        guard let current, current.number == number else {
            throw AdminFailure(.unavailable, "the server knows nothing of this backup; try again")
        }
        if let failure { throw failure }
        return current
    }

    /// The one that is being made, if one is.
    var readers: [ReaderSummary] {
        state.withLock { $0.isRunning ? [ReaderSummary(what: "backup", since: $0.begunAt)] : [] }
    }

    /// Ends the one that is being made, which removes what there is of it, and waits for that.
    func close() {
        state.withLock { $0.isClosing = true }
        closing.signal()
        queue.sync {}
    }

    /// At half of the speed that disk and processors have, so that batches and reports find them free.
    private func run(directory: String, withKey: Bool) {
        var begin = DispatchTime.now().uptimeNanoseconds
        let result = Result { () throws(AdminFailure) in
            try BackupWork.run(store, directory: directory, withKey: withKey) {
                (done, total) throws(AdminFailure) in
                let isClosing = state.withLock { state in
                    state.current?.done = done
                    state.current?.total = total
                    return state.isClosing
                }
                if isClosing { throw AdminFailure(.unavailable, "the server is shutting down") }
                let now = DispatchTime.now().uptimeNanoseconds
                let pause = min(now &- begin, Self.longestPause)
                _ = closing.wait(timeout: DispatchTime(uptimeNanoseconds: now &+ pause))
                begin = DispatchTime.now().uptimeNanoseconds
            }
        }
        state.withLock { state in
            state.isRunning = false
            switch result {
            case .success(let summary): state.current?.summary = summary
            case .failure(let failure): state.failure = failure
            }
        }
    }
}

/// How far a backup is that a server makes.
package struct BackupState: Codable, Sendable, Equatable {
    /// Which one, since the server's start.
    package let number: Int
    /// Bytes of the database that are copied, and all; zero before the first.
    package var done = 0
    package var total = 0
    /// What was made, once it is whole.
    package var summary: BackupSummary?

    /// One that has just begun.
    package init(number: Int) { self.number = number }
}
