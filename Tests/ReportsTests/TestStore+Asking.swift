import Database
import Query
import Reports
import Storage
import StoreTestSupport
import Testing

extension TestStore {
    func question(
        _ name: String, _ pairs: [(name: String, value: String)], now: Int64 = noon,
        minGroup: Int = 1
    ) throws -> Question {
        try Question(
            ReportDefinition.named(name), ParameterList([(name: "app", value: app.name)] + pairs),
            app: app, now: now, settings: ReportSettings(minGroup: minGroup))
    }

    func ask(
        _ name: String, _ pairs: [(name: String, value: String)] = [], now: Int64 = noon,
        minGroup: Int = 1
    ) throws -> Report {
        let question = try question(name, pairs, now: now, minGroup: minGroup)
        let report = try ReportRunner.run(question, connection)
        // The same from segments: of one batch and day each, or of several with a rest of rows, as the
        // number of batches has it.
        guard case .rows = question.definition.shape else { return report }
        let batches = try connection.integer("SELECT count(*) FROM batch") ?? 0
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        try Segmenter(connection, limit: batches % 2 == 0 ? 1 : 7).begin()
        // Twice: what was read the first time is remembered.
        let queries = SegmentQueries(connection)
        for _ in 0..<2 {
            let packed = try ReportRunner.run(question, queries)
            #expect(packed.rendered(as: .json) == report.rendered(as: .json))
        }
        return report
    }

    /// The lines of an export, of events that stand in no segment.
    func lines(
        _ pairs: [(name: String, value: String)] = [], limit: Int = 1 << 20
    ) throws -> [String] {
        var pages = ExportLines(try question("export", pairs))
        var out: [UInt8] = []
        while !pages.isDone { out += try pages.next(connection, limit: limit) }
        return String(decoding: out, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The same; also from segments, with a rest of rows and without, and with days that are stale.
    func export(
        _ pairs: [(name: String, value: String)] = [], limit: Int = 1 << 20
    ) throws -> [String] {
        let found = try lines(pairs, limit: limit)
        try forEachForm { form throws in
            #expect(try lines(pairs, limit: limit) == found, "\(form)")
        }
        return found
    }
}

/// `from` and `to`.
func range(_ from: String, _ to: String) -> [(name: String, value: String)] {
    [(name: "from", value: from), (name: "to", value: to)]
}

extension Report {
    /// Rows as CSV has them, without the line of names.
    var lines: [String] {
        String(decoding: rendered(as: .csv), as: UTF8.self)
            .split(separator: "\r\n").dropFirst().map(String.init)
    }

    /// The answer as JSON.
    var json: String { String(decoding: rendered(as: .json), as: UTF8.self) }
}
