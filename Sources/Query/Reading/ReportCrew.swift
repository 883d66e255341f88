import Database
import Dispatch
import Storage
import Synchronization

/// The threads that work on one report: the one that asks, and helpers as far as they are free.
final class ReportCrew<Share: ReportShare>: Sendable {
    typealias Body = @Sendable () throws(StorageError) -> Share

    private struct State {
        /// Nil when the work is done: a helper that starts later has nothing left to do.
        var body: Body?
        /// What the helpers made; nil where none of them has finished.
        var made: Result<Share, StorageError>?
    }

    private let state: Mutex<State>
    private let atWork = DispatchGroup()

    private init(_ body: @escaping Body) { state = Mutex(State(body: body)) }

    /// Runs `body` on all threads and returns what they made together. Throws what one of them
    /// throws. This thread releases what `body` captures, since statements belong to its
    /// connection.
    static func run(_ body: @escaping Body, threads: Int) throws(StorageError) -> Share {
        let crew = ReportCrew(body)
        for _ in 1..<max(threads, 1) {
            reportHelpers.async { if crew.help() { crew.atWork.leave() } }
        }
        let own = Result { () throws(StorageError) in try body() }
        crew.state.withLock { $0.body = nil }
        crew.atWork.wait()
        return try merged(own, crew.state.withLock { $0.made.take() }).get()
    }

    /// Runs `body` on a helper, and releases it.
    /// - Returns: false if the work was done already
    @inline(never)
    private func help() -> Bool {
        let begun = state.withLock { state in
            if state.body != nil { atWork.enter() }
            return state.body
        }
        guard let body = begun else { return false }
        let share = Result { () throws(StorageError) in try body() }
        state.withLock { $0.made = Self.merged(share, $0.made.take()) }
        return true
    }

    private static func merged(
        _ one: consuming Result<Share, StorageError>,
        _ other: consuming Result<Share, StorageError>?
    ) -> Result<Share, StorageError> {
        switch (one, other) {
        case (.success(var both), .success(let other)):
            do throws(StorageError) {
                try both.merge(other)
                return .success(both)
            } catch {
                return .failure(error)
            }
        case (.success, .failure(let error)): return .failure(error)
        case (let one, _): return one
        }
    }
}

/// Runs at low priority, as do the threads that ask (`ReportExecutor`): ingest goes first.
let reportHelpers = DispatchQueue(
    label: "sojourn.reports.helpers", qos: .background, attributes: .concurrent)
