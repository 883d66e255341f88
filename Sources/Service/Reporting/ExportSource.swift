import Database
import HTTP1
import Query
import Reports
import Storage
import Synchronization

/// An export on its way to its reader: its first page has been computed before the answer's head
/// left, each further one when all of the last has been taken. So a slow reader costs no more than
/// one page and what comes next, and no transaction.
final class ExportSource: BodySource {
    /// Bytes of a page, about.
    static let pageSize = 512 << 10

    private struct State {
        /// Nil while the next page is computed.
        var pages: ExportLines?
        var page: [UInt8]
        var sent = 0
        /// What computes the next page.
        var job: ReportJob?
        var hasFailed = false
        /// A stream slot, or the room of a first page that is all. The only reference: it is free as soon
        /// as the answer has ended.
        var hold: (any Sendable)?
        var wake: @Sendable () -> Void = {}
    }

    private let state: Mutex<State>
    private let reports: ReportExecutor
    private let source: any ReportSource
    private let token: Int64?
    private let onFailure: @Sendable (ReportFailure) -> Void

    /// Takes a stream slot, or room among the answers where `page` is all that its reader gets and not
    /// small, and gives it back when the answer has ended, in whatever way. Nil where there is none.
    /// - Parameters:
    ///   - isHead: nobody reads a line
    ///   - pages: the pages after `page`
    ///   - page: the first lines
    ///   - answers: where a page waits that is all
    ///   - token: the row of the token that asks; nil where none does
    ///   - onFailure: called when a page cannot be computed; the reader sees a truncated answer
    init?(
        _ pages: ExportLines, page: [UInt8], isHead: Bool = false, reports: ReportExecutor,
        _ source: any ReportSource = SegmentSource(), answers: AnswerRoom,
        of token: Int64? = nil,
        onFailure: @escaping @Sendable (ReportFailure) -> Void
    ) {
        var page = page
        var hold: (any Sendable)?
        if !isHead, !pages.isDone {
            guard let slot = reports.takeStreamSlot(for: token) else { return nil }
            hold = slot
        } else if page.count > AnswerRoom.small {
            guard let room = answers.hold(min(page.count, answers.limit), of: token) else {
                return nil
            }
            hold = room
            page = page.fitted
        }
        state = Mutex(State(pages: pages, page: page, hold: hold))
        self.reports = reports
        self.source = source
        self.token = token
        self.onFailure = onFailure
    }

    /// The next page.
    static func page(
        _ lines: inout ExportLines, _ queries: SegmentQueries, limit: Int = pageSize
    ) throws(QueryError) -> [UInt8] {
        try queries.page { (queries) throws(QueryError) in
            let page = try lines.next(queries, limit: limit)
            return (page, lines.isDone)
        }
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        let (piece, step, next) = state.withLock {
            state -> (ArraySlice<UInt8>, BodyStep, ExportLines?) in
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
                state.hold = nil
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
            state.hold = nil
            (state.pages, state.page, state.sent) = (nil, [], 0)
            return state.job.take()
        }
        if let job { reports.cancel(job) }
    }

    private func compute(_ pages: ExportLines) {
        let job = reports.submit(of: token, continuesStream: true) {
            [self] connection, interruption in
            var pages = pages
            let page = try source.page(
                &pages, limit: Self.pageSize, connection, interruption)
            return { [self, pages] in finish(pages, page) }
        } failed: { [self] failure in
            fail(failure)
        }
        guard let job else { return fail(.closing) }
        state.withLock { if $0.pages == nil, !$0.hasFailed { $0.job = job } }
    }

    private func finish(_ pages: ExportLines, _ page: [UInt8]) {
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
            (state.hold, state.job) = (nil, nil)
            return state.wake
        }
        wake()
    }
}
