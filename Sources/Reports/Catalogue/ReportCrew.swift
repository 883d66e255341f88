import Dispatch
import Storage
import Synchronization

/// The threads that work on one report: the one that asks, and others as far as they have time.
final class ReportCrew<Share: ReportShare>: Sendable {
    typealias Body = @Sendable () throws(StorageError) -> Share

    private struct State {
        /// Nil when all is done: who comes later has nothing left to do.
        var body: Body?
        var all: Result<Share, StorageError>?
    }

    private let state: Mutex<State>
    private let atWork = DispatchGroup()

    init(_ body: @escaping Body) { state = Mutex(State(body: body)) }

    /// Returns what all of them made. Throws what one of them throws.
    func run(threads: Int) throws(StorageError) -> Share {
        for _ in 1..<max(threads, 1) {
            reportHelpers.async { if self.work(isHelper: true) { self.atWork.leave() } }
        }
        _ = work(isHelper: false)
        // What the body holds is given back here: statements belong to this thread's connection.
        let body = state.withLock { $0.body.take() }
        atWork.wait()
        defer { _ = consume body }
        guard let all = state.withLock({ $0.all.take() }) else {
            preconditionFailure("this thread has worked")
        }
        return try all.get()
    }

    /// Does what there is to do, and keeps nothing of it.
    /// - Returns: false where all was done already
    @inline(never)
    private func work(isHelper: Bool) -> Bool {
        let begun = state.withLock { state in
            if isHelper, state.body != nil { atWork.enter() }
            return state.body
        }
        guard let body = begun else { return false }
        let share = Result { () throws(StorageError) in try body() }
        state.withLock { state in
            switch (state.all.take(), share) {
            case (.success(var all), .success(let share)):
                all.merge(share)
                state.all = .success(all)
            case (.failure(let error), _): state.all = .failure(error)
            case (_, let share): state.all = share
            }
        }
        return true
    }
}

/// Of low priority, as are those that ask (`ReportExecutor`): ingest goes before.
private let reportHelpers = DispatchQueue(
    label: "sojourn.reports.helpers", qos: .background, attributes: .concurrent)
