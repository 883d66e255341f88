import HTTP1
import Reports
import Storage
import Synchronization

/// An export on its way to its reader: its first page has been computed before the answer's head
/// left, each further one when all of the last has been taken. So a slow reader costs no more than
/// one page and what comes next, and no transaction.
final class ExportSource: BodySource {
    /// Octets of a page, about.
    static let pageSize = 512 << 10

    private struct State {
        /// Nil while the next page is computed.
        var pages: ExportPages?
        var page: [UInt8]
        var sent = 0
        /// What computes the next page.
        var job: ReportJob?
        var hasFailed = false
        /// The only reference: the place is free as soon as the answer has ended.
        var place: StreamPlace?
        var wake: @Sendable () -> Void = {}
    }

    private let state: Mutex<State>
    private let reports: ReportExecutor
    private let token: Int64?
    private let onFailure: @Sendable (ReportFailure) -> Void

    /// Takes a place unless `page` is all that its reader gets, and gives it back when the answer has ended,
    /// in whatever way. Nil where there is none.
    /// - Parameters:
    ///   - isHead: nobody reads a line
    ///   - pages: what comes behind `page`
    ///   - page: the first lines
    ///   - token: the row of the token that asks; nil where none does
    ///   - onFailure: told when a page cannot be computed; the reader sees a truncated answer
    init?(
        _ pages: ExportPages, page: [UInt8], isHead: Bool = false, reports: ReportExecutor,
        of token: Int64? = nil, onFailure: @escaping @Sendable (ReportFailure) -> Void
    ) {
        let isWhole = isHead || pages.isDone
        let place = isWhole ? nil : reports.takeStreamPlace(for: token)
        guard isWhole || place != nil else { return nil }
        state = Mutex(State(pages: pages, page: page, place: place))
        self.reports = reports
        self.token = token
        self.onFailure = onFailure
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        let (piece, step, next) = state.withLock {
            state -> (ArraySlice<UInt8>, BodyStep, ExportPages?) in
            if state.hasFailed { return ([], .failed, nil) }
            if state.sent < state.page.count {
                let end = min(state.sent + limit, state.page.count)
                let piece = state.page[state.sent..<end]
                state.sent = end
                if end == state.page.count { (state.page, state.sent) = ([], 0) }
                return (piece, .more, nil)
            }
            guard let pages = state.pages.take() else { return ([], .later, nil) }
            if pages.isDone {
                state.place = nil
                return ([], .end, nil)
            }
            return ([], .later, pages)
        }
        output += piece
        if let next { compute(next) }
        return step
    }

    func cancel() {
        let job = state.withLock { state in
            state.place = nil
            (state.pages, state.page, state.sent) = (nil, [], 0)
            return state.job.take()
        }
        if let job { reports.cancel(job) }
    }

    private func compute(_ pages: ExportPages) {
        let job = reports.submit(of: token, continuesStream: true) {
            [self] (connection, interruption) throws(StorageError) in
            var pages = pages
            let page = try pages.next(
                connection, limit: Self.pageSize, interruption: interruption)
            return { [self, pages] in finish(pages, page) }
        } failed: { [self] failure in
            fail(failure)
        }
        guard let job else { return fail(.closing) }
        state.withLock { if $0.pages == nil, !$0.hasFailed { $0.job = job } }
    }

    private func finish(_ pages: ExportPages, _ page: [UInt8]) {
        let wake = state.withLock { state in
            (state.pages, state.page, state.sent, state.job) = (pages, page, 0, nil)
            return state.wake
        }
        wake()
    }

    private func fail(_ failure: ReportFailure) {
        onFailure(failure)
        let wake = state.withLock { state in
            state.hasFailed = true
            (state.place, state.job) = (nil, nil)
            return state.wake
        }
        wake()
    }
}
