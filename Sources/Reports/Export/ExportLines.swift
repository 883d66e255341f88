import Events
import Query

/// The lines of an export, page after page (docs/reports.md, export). Between pages nothing is open.
package struct ExportLines: Sendable {
    private var cursor: EventCursor
    /// Bytes of a line, by those of the last page.
    private var lineLength = 512

    /// The lines that answer a question of `export`.
    package init(_ question: Question) {
        cursor = EventCursor(question.scope, after: question.after)
    }

    /// The lines that answer a question of `devices`: all of the device, unless the question gives a range.
    package init(of device: DeviceHash, _ question: Question) {
        cursor = EventCursor(
            of: device, in: question.app, question.isRangeGiven ? question.scope : nil)
    }

    /// All lines of one device.
    package init(of device: DeviceHash, in app: QueryApp) {
        cursor = EventCursor(of: device, in: app)
    }

    /// Whether there is no further line.
    package var isDone: Bool { cursor.isDone }

    /// The next lines, whole: at least `limit` bytes if there are so many, and at most one line more than
    /// that; empty only when it is done. Throws what the queries throw; lines are then missing, so that it
    /// must not be asked again: who has the last cursor can go on from there.
    package mutating func next(_ queries: any Queries, limit: Int) throws(QueryError) -> [UInt8] {
        var page = ExportPage(limit: limit, lineLength: lineLength)
        try queries.events(&cursor, to: &page)
        lineLength = page.lineLength
        return page.bytes
    }
}
