import Database
import Events
import HTTP1
import Query
import Reports

/// Where answers to reports come from. What each has in common, tokens, parameters, forms and room, is
/// `ReportRoute`'s. Called on a thread that computes reports, with exclusive use of a connection meanwhile.
protocol ReportSource: Sendable {
    /// The answer of rows.
    /// - Parameter known: the values of `If-None-Match`
    func rows(
        _ question: Question, as format: ReportFormat, unless known: [String],
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedRows

    /// The first page of lines.
    /// - Parameters:
    ///   - device: whose lines alone are asked for; nil: all
    ///   - known: the values of `If-None-Match`
    ///   - limit: bytes, about
    func lines(
        _ question: Question, of device: DeviceHash?, unless known: [String], limit: Int,
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedLines

    /// The next page of lines, in pieces.
    /// - Parameter limit: bytes, about
    func page(
        _ lines: inout ExportLines, limit: Int, _ connection: Connection,
        _ interruption: Interruption
    ) throws -> [[UInt8]]
}

/// An answer of rows, with what its header says beside the form.
enum SourcedRows {
    /// The asker has it.
    case known([HeaderField])
    case body([UInt8], [HeaderField])
}

/// An answer of lines, with what its header says beside the form.
enum SourcedLines {
    case unknownDevice
    /// The asker has it.
    case known([HeaderField])
    /// The first page, what follows it, and who has that.
    case page([[UInt8]], ExportLines, [HeaderField], rest: any ReportSource)
}
