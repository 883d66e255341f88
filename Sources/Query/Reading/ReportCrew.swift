import Database
import Dispatch
import Storage
import Synchronization

/// The threads that work on one report: the one that asks, and others as far as they have time.
final class ReportCrew<Share: ReportShare>: Sendable {
    typealias Body = @Sendable () throws(StorageError) -> Share

    private struct State {
        /// Nil when all is done: who comes later has nothing left to do.
        var body: Body?
        /// What the helpers made; nil where none of them has.
        var made: Result<Share, StorageError>?
    }

    private let state: Mutex<State>
    private let atWork = DispatchGroup()

    private init(_ body: @escaping Body) { state = Mutex(State(body: body)) }

    /// Returns what all of them made. Throws what one of them throws. What `body` holds is given back by
    /// this thread, since statements belong to its connection.
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

    /// Does what there is to do, and keeps nothing of it.
    /// - Returns: false where all was done already
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

/// Of low priority, as are those that ask (`ReportExecutor`): ingest goes before.
private let reportHelpers = DispatchQueue(
    label: "sojourn.reports.helpers", qos: .background, attributes: .concurrent)
