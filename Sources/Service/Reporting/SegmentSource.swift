import Database
import Events
import HTTP1
import Query
import Reports

/// Answers from the node's own segments.
struct SegmentSource: ReportSource {
    let environment: ReportEnvironment

    init(_ environment: ReportEnvironment = ReportEnvironment()) {
        self.environment = environment
    }

    func rows(
        _ question: Question, as format: ReportFormat, unless known: [String],
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedRows {
        var tag: EntityTag?
        let report = try SegmentQueries(connection, interruption, environment).answer(
            question.scope, to: question.version, from: question.definition.sources,
            unless: { version in
                let made = EntityTag(version: version, form: format.contentType)
                tag = made
                return made.isNamed(by: known)
            }, { queries throws(QueryError) in try ReportRunner.run(question, queries) })
        let fields = [tag?.field].compactMap { $0 }
        guard let report else { return .known(fields) }
        return .body(
            try interruption.text(of: report.size, about: report.textSize(as: format)) {
                report.rendered(as: format)
            }, fields)
    }

    /// Events that are stored while it streams may appear: its tag is of what was there before, and changes
    /// with them.
    func lines(
        _ question: Question, of device: DeviceHash?, unless known: [String], limit: Int,
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedLines {
        let queries = SegmentQueries(connection, interruption, environment)
        if let device, try !queries.hasDevice(device, of: question.app) { return .unknownDevice }
        let version = try queries.version(
            question.scope, of: question.version, from: question.definition.sources)
        let tag = EntityTag(
            version: version + (device?.hex ?? "").utf8, form: ExportReport.contentType)
        if tag.isNamed(by: known) { return .known([tag.field]) }
        var lines = device.map { ExportLines(of: $0, question) } ?? ExportLines(question)
        let page = try ExportSource.page(&lines, queries, limit: limit)
        return .page(page, lines, [tag.field], rest: self)
    }

    func page(
        _ lines: inout ExportLines, limit: Int, _ connection: Connection,
        _ interruption: Interruption
    ) throws -> [[UInt8]] {
        try ExportSource.page(
            &lines, SegmentQueries(connection, interruption, environment), limit: limit)
    }
}
