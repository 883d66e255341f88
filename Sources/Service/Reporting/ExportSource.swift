import Database
import HTTP1
import Query
import Reports
import Storage
import Synchronization

/// An export on its way to its reader: its first page has been computed before the answer's head
/// left, each further one from when the last one is on its way. So a slow reader costs no more than
/// what is left of a page and the next one, and no transaction. Pages grow where the reader waits for
/// them and there is room among the answers, and shrink where they wait for it.
final class ExportSource: BodySource {
    /// Bytes of a page that needs no room, about.
    static let pageSize = 512 << 10
    /// Bytes of a page at most, about: a small part of what reports may hold.
    private let maxPageSize: Int

    /// Pieces of lines, and the room that they have.
    fileprivate struct Page {
        /// The next one last: one that is taken is nobody else's.
        var pieces: [[UInt8]]
        let hold: AnswerHold?
    }

    fileprivate struct State {
        /// Nil while a page is computed.
        var lines: ExportLines?
        /// What waits for the reader, at most two pages; none is empty.
        var pages: [Page] = []
        /// How much of the first piece was taken.
        var sent = 0
        /// Bytes of the next page, about.
        var limit = ExportSource.pageSize
        /// The reader waits.
        var isAwaited = false
        /// What computes a page.
        var job: ReportJob?
        /// Counts what has computed pages.
        var turn = 0
        var hasFailed = false
        /// A stream slot, or the room of a first page that is all. The only reference: it is free as soon
        /// as the answer has ended.
        var hold: (any Sendable)?
        var wake: @Sendable () -> Void = {}
    }

    private let state: Mutex<State>
    private let reports: ReportExecutor
    private let source: any ReportSource
    private let answers: AnswerRoom
    private let token: Int64?
    private let onFailure: @Sendable (ReportFailure) -> Void

    /// Takes a stream slot, or room among the answers where `page` is all that its reader gets and not
    /// small, and gives it back when the answer has ended, in whatever way. Nil where there is none.
    /// - Parameters:
    ///   - isHead: nobody reads a line
    ///   - lines: what follows `page`
    ///   - page: the first lines, in pieces
    ///   - answers: where pages wait that are large
    ///   - token: the row of the token that asks; nil where none does
    ///   - onFailure: called when a page cannot be computed; the reader sees a truncated answer
    init?(
        _ lines: ExportLines, page: [[UInt8]], isHead: Bool = false, reports: ReportExecutor,
        _ source: any ReportSource = SegmentSource(), answers: AnswerRoom,
        of token: Int64? = nil,
        onFailure: @escaping @Sendable (ReportFailure) -> Void
    ) {
        var hold: (any Sendable)?
        let size = page.reduce(0) { $0 + $1.count }
        if !isHead, !lines.isDone {
            guard let slot = reports.takeStreamSlot(for: token) else { return nil }
            hold = slot
        } else if size > AnswerRoom.small {
            guard let room = answers.hold(min(size, answers.limit), of: token) else {
                return nil
            }
            hold = room
        }
        var state = State(lines: lines, hold: hold)
        state.add(page, nil)
        self.state = Mutex(state)
        self.reports = reports
        self.source = source
        self.answers = answers
        maxPageSize = max(Self.pageSize, min(8 << 20, reports.memory.limit / 32))
        self.token = token
        self.onFailure = onFailure
    }

    /// The next page, in pieces.
    static func page(
        _ lines: inout ExportLines, _ queries: SegmentQueries, limit: Int = pageSize
    ) throws(QueryError) -> [[UInt8]] {
        try queries.transaction { (queries) throws(QueryError) in
            try lines.next(queries, limit: limit)
        }
    }

    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    func pull(into output: inout [UInt8], limit: Int) -> BodyStep {
        let (piece, step, next) = state.withLock { state -> ([UInt8], BodyStep, Turn?) in
            if state.hasFailed { return ([], .failed, nil) }
            if let piece = state.take(limit) { return (piece, .more, state.begin()) }
            if state.lines?.isDone == true {
                state.hold = nil
                return ([], .end, nil)
            }
            state.isAwaited = true
            return ([], .later, state.begin())
        }
        if output.isEmpty { output = piece } else { output += piece }
        if let next { compute(next) }
        return step
    }

    func cancel() {
        let job = state.withLock { state in
            state.hold = nil
            (state.lines, state.pages, state.sent) = (nil, [], 0)
            state.turn += 1
            return state.job.take()
        }
        if let job { reports.cancel(job) }
    }

    /// A page to be computed.
    fileprivate struct Turn {
        let number: Int
        let lines: ExportLines
        let limit: Int
    }

    private func compute(_ turn: Turn) {
        // Without room, a page that needs none.
        let hold = turn.limit > Self.pageSize ? answers.hold(turn.limit, of: token) : nil
        let limit = hold == nil ? Self.pageSize : turn.limit
        let job = reports.submit(named: "page of an export", of: token, continuesStream: true) {
            [self] connection, interruption in
            var lines = turn.lines
            let page = try source.page(&lines, limit: limit, connection, interruption)
            return { [self, lines] in finish(turn.number, lines, page, hold) }
        } failed: { [self] failure in
            fail(failure)
        }
        guard let job else { return fail(.closing) }
        state.withLock {
            if $0.turn == turn.number, $0.lines == nil, !$0.hasFailed { $0.job = job }
        }
    }

    private func finish(
        _ number: Int, _ lines: ExportLines, _ page: [[UInt8]], _ hold: AnswerHold?
    ) {
        let (wake, next) = state.withLock { state -> ((@Sendable () -> Void)?, Turn?) in
            guard state.turn == number else { return (nil, nil) }
            (state.lines, state.job) = (lines, nil)
            state.add(page, hold)
            let isAwaited = state.isAwaited
            state.isAwaited = false
            state.limit =
                isAwaited
                ? min(state.limit * 2, maxPageSize) : max(state.limit / 2, Self.pageSize)
            // One that is awaited is on its way.
            return (isAwaited ? state.wake : nil, isAwaited ? state.begin() : nil)
        }
        wake?()
        if let next { compute(next) }
    }

    private func fail(_ failure: ReportFailure) {
        onFailure(failure)
        let wake = state.withLock { state in
            state.hasFailed = true
            (state.hold, state.job, state.pages) = (nil, nil, [])
            return state.wake
        }
        wake()
    }
}

extension ExportSource.State {
    /// Adds a page to what waits for the reader.
    fileprivate mutating func add(_ pieces: [[UInt8]], _ hold: AnswerHold?) {
        if !pieces.isEmpty {
            pages.append(ExportSource.Page(pieces: pieces.reversed(), hold: hold))
        }
    }

    /// Takes a piece of what waits, so many bytes at most; nil where nothing waits.
    fileprivate mutating func take(_ limit: Int) -> [UInt8]? {
        guard let count = pages.first?.pieces.last?.count else { return nil }
        if count - sent > limit {
            defer { sent += limit }
            return pages[0].pieces.last.map { Array($0[sent..<sent + limit]) }
        }
        defer {
            sent = 0
            if pages[0].pieces.isEmpty { pages.removeFirst() }
        }
        let piece = pages[0].pieces.removeLast()
        return sent == 0 ? piece : Array(piece[sent...])
    }

    /// Begins with the next page, unless one is computed, or waits and nobody has taken any of it, or none is
    /// left.
    fileprivate mutating func begin() -> ExportSource.Turn? {
        guard pages.count < 2, let lines, !lines.isDone else { return nil }
        self.lines = nil
        turn += 1
        return ExportSource.Turn(number: turn, lines: lines, limit: limit)
    }
}
