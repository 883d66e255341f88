import Engine
import Events
import Query

/// The events of an export that shards have answered and that have not been passed on yet: of each shard one
/// page, which it has sorted. Between pages nothing is open.
struct EventPages: Sendable {
    private let statement: ExportStatement
    /// The stretches of time still to ask for; the first begins where asking resumes. Nil: all time.
    private var stretches: ArraySlice<Range<Int64>>?
    /// How many milliseconds of a stretch a page may cover: as many as hold about the events of a page, so
    /// that no shard sorts much more.
    private var width: Int64 = .max
    /// The last event passed on, after which asking resumes.
    private var position: ExportPosition?
    private var pages: [Page]
    /// Events that a shard is asked for at once.
    private var limit = 1024
    /// Whether all was asked for.
    private var isAsked = false
    private var held: HeldBytes?

    /// Bytes that all pages together are to take, about.
    private static let wantedBytes = 8 << 20
    private static let limits = 256...65_536

    /// A shard's page.
    private struct Page: Sendable {
        var reader = RowBinary.Reader([])
        var next: ExportRow?
        /// Whether the shard has answered as many events as it was asked for: there may be more.
        var isFull = false
    }

    /// The events after a cursor's position, none of them asked for yet.
    init(_ cursor: EventCursor, shards: Int) {
        var count = shards
        if let device = cursor.device, shards > 0 {
            // It is on one shard.
            shard = DeviceKey(high: device.high, low: device.low).shard(of: shards)
            count = 1
        }
        statement = ExportStatement(
            app: cursor.app, filter: cursor.filter, device: cursor.device)
        stretches = cursor.stretches.map { $0[...] }
        position = cursor.position
        pages = [Page](repeating: Page(), count: count)
        if let position { skip(to: position.time) }
    }

    /// The one shard that is asked; nil: all.
    private var shard: Int?

    /// Whether no event is left.
    var isDone: Bool { isAsked && pages.allSatisfy { $0.next == nil } }

    /// Takes the next events, until their lines have so many bytes. Throws what the engine throws.
    /// - Parameter limit: bytes of lines, about
    /// - Returns: the events, and the position of the last of them; nil without events
    mutating func take(
        _ limit: Int, _ reader: any EngineReader, _ interruption: Interruption
    ) throws(QueryError) -> (events: ExportedEvents, last: ExportPosition?) {
        var batches = ExportedBatches()
        var last: ExportPosition?
        while batches.events.lineBytes < limit {
            if interruption.isRaised { throw interruption.error }
            guard let page = try nextPage(reader, interruption) else {
                return (batches.events, last)
            }
            guard let row = pages[page].next else { break }
            batches.add(row)
            (last, position) = (row.position, row.position)
            try advance(page)
        }
        // Whether there are more is to be known now.
        if last != nil { _ = try nextPage(reader, interruption) }
        return (batches.events, last)
    }

    /// The index of the page that has the next event; nil where none is left.
    private mutating func nextPage(
        _ reader: any EngineReader, _ interruption: Interruption
    ) throws(QueryError) -> Int? {
        while true {
            // A page that was full and is used up hides what its shard has next.
            let isHidden = pages.contains { $0.next == nil && $0.isFull }
            if !isHidden, let first = firstPage { return first }
            if isHidden || !isAsked {
                try ask(reader, interruption)
            } else {
                return nil
            }
        }
    }

    private var firstPage: Int? {
        var first: Int?
        for (index, page) in pages.enumerated() {
            guard let row = page.next else { continue }
            if let known = first, let other = pages[known].next, !row.precedes(other) { continue }
            first = index
        }
        return first
    }

    private mutating func advance(_ page: Int) throws(QueryError) {
        do throws(RowFailure) {
            let isAtEnd = pages[page].reader.isAtEnd
            pages[page].next = isAtEnd ? nil : try ExportRow(&pages[page].reader)
        } catch {
            throw QueryError(error)
        }
    }

    /// Asks all shards for the events after the last one that was passed on.
    private mutating func ask(
        _ reader: any EngineReader, _ interruption: Interruption
    ) throws(QueryError) {
        var window: Range<Int64>?
        if let stretches {
            guard let stretch = stretches.first else {
                isAsked = true
                for page in pages.indices { pages[page] = Page() }
                return
            }
            let length = stretch.upperBound - stretch.lowerBound
            window = stretch.lowerBound..<stretch.lowerBound + min(width, length)
        }
        let sql = statement.sql(in: window, after: position, limit: limit)
        let answers = try Self.answers(sql, reader, shard)
        let bytes = answers.reduce(0) { $0 + $1.count }
        held = HeldBytes(interruption.account, bytes)
        if interruption.isRaised { throw interruption.error }
        var (count, isFull) = (0, false)
        var reach: Int64?
        for (index, answer) in answers.enumerated() where index < pages.count {
            let (rows, last) = try Self.rows(in: answer)
            pages[index] = Page(
                reader: RowBinary.Reader(answer), next: nil, isFull: rows >= limit)
            try advance(index)
            count += rows
            if rows >= limit, let last {
                isFull = true
                reach = min(reach ?? last, last)
            }
        }
        moveOn(window, isFull: isFull, reach: reach, count: count)
        adapt(bytes: bytes, count: count)
    }

    private static func answers(
        _ sql: String, _ reader: any EngineReader, _ shard: Int?
    ) throws(QueryError) -> [[UInt8]] {
        try reader.ask { () throws(EngineError) in
            if let shard { return [try reader.read(sql, shard: shard)] }
            return try reader.read(sql)
        }
    }

    /// How many events an answer has, and the time of the last of them.
    private static func rows(
        in answer: [UInt8]
    ) throws(QueryError) -> (count: Int, last: Int64?) {
        var reader = RowBinary.Reader(answer)
        var (count, last): (Int, Int64?) = (0, nil)
        do throws(RowFailure) {
            while !reader.isAtEnd {
                last = try ExportRow(&reader).position.time
                count += 1
            }
        } catch {
            throw QueryError(error)
        }
        return (count, last)
    }

    /// Sets where asking resumes, and how far the next page may reach.
    private mutating func moveOn(
        _ window: Range<Int64>?, isFull: Bool, reach: Int64?, count: Int
    ) {
        guard let window else {
            isAsked = !isFull
            return
        }
        if isFull {
            // The rest of the window comes with the next page.
            if let reach {
                let next = min(max(reach, window.lowerBound), window.upperBound - 1)
                let (span, overflow) = max(1, next - window.lowerBound)
                    .multipliedReportingOverflow(by: 8)
                width = overflow ? .max : span
                skip(to: next)
            }
        } else {
            skip(to: window.upperBound)
            if count < limit / 2 {
                let (more, overflow) = width.multipliedReportingOverflow(
                    by: count < limit / 16 ? 8 : 2)
                width = overflow ? .max : more
            }
            isAsked = stretches?.isEmpty ?? true
        }
    }

    /// Has the next page take about as many bytes as pages are to take.
    private mutating func adapt(bytes: Int, count: Int) {
        guard count > 0 else { return }
        let fitting = Self.wantedBytes / max(1, bytes / count) / max(1, pages.count)
        limit = min(max(fitting, Self.limits.lowerBound), Self.limits.upperBound, limit * 4)
    }

    /// Skips what lies before an instant.
    private mutating func skip(to time: Int64) {
        guard var left = stretches else { return }
        while let first = left.first, first.upperBound <= time { left.removeFirst() }
        if let first = left.first, first.lowerBound < time {
            left[left.startIndex] = time..<first.upperBound
        }
        stretches = left
    }
}
