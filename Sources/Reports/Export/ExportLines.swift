import Events
import Query

/// The lines of an export, page after page (docs/reports.md, export). Between pages nothing is
/// open.
package struct ExportLines: Sendable {
    private var cursor: EventCursor

    /// The lines that answer a question of `export`.
    package init(_ question: Question) {
        cursor = EventCursor(question.scope, after: question.after)
    }

    /// The lines that answer a question of `devices`: all lines of the device, unless the question
    /// gives a range.
    package init(of device: DeviceHash, _ question: Question) {
        cursor = EventCursor(
            of: device, in: question.app, question.isRangeGiven ? question.scope : nil)
    }

    /// All lines of one device.
    package init(of device: DeviceHash, in app: QueryApp) {
        cursor = EventCursor(of: device, in: app)
    }

    /// Whether no line is left.
    package var isDone: Bool { cursor.isDone }

    /// The next whole lines, in pieces: about `limit` bytes if as many are left, and at most one line more;
    /// empty only when no line is left. Throws what the queries throw. After an error lines are
    /// missing, so it must not be called again: a new export can resume from the last line's
    /// cursor.
    package mutating func next(
        _ queries: any Queries, limit: Int
    ) throws(QueryError) -> [[UInt8]] {
        let pieces = try queries.events(&cursor, limit: limit) { ExportPage.pieces(of: $0) }
        return pieces.flatMap { $0 }
    }
}
