import Query
import Reports
import Storage
import StoreTestSupport
import TestSupport
import TimeZones

@testable import Database

extension ModelLife {
    private typealias Pairs = ModelQuestions.Pairs

    /// Asks for every report.
    func compare(_ random: inout SplitMix) throws {
        story.append("compare at \(now)")
        let reader = try store.reader()
        let wanted = try TestStore(state.batches, timeZone: zone.name, timeout: Self.timeout)
        try wanted.keep(state.facts)
        for (code, time) in state.refused { try wanted.refuse(code, at: time) }

        let questions = ModelQuestions(&random)
        for report in ReportDefinition.all {
            if case .device = report.shape { continue }
            // The second is asked again and again, so that versions of its answer come again.
            for pairs in [questions.some(report, &random), ModelQuestions.fixed(report)] {
                let mine = try question(report, pairs, QueryApp(app))
                let answer = try answer(mine, reader)
                let right = try self.answer(question(report, pairs, wanted.app), wanted.connection)
                note(report.name, answer, right)
                let version = try ReportRunner.version(
                    mine, reader, interruption: Interruption(), environment)
                if let first = answers.updateValue(answer, forKey: version) {
                    note("\(report.name) of a version that it had before", answer, first)
                }
            }
        }
        try compareRecord(of: random.pick(sent).device, reader, wanted)
        try compareTwin(
            questions.days, random.pick(Interval.calendar), questions.filter, reader)
        let newest = state.batches.map(\.receivedAt).max()
        if try store.newestArrival() != newest {
            wrong.append("the newest is not of \(newest ?? 0)")
        }
        if try store.pruneFloor()?.limit != state.prunedBefore {
            wrong.append("pruned before \(try store.pruneFloor()?.limit as Any)")
        }
    }

    private func note(_ name: String, _ mine: String, _ right: String) {
        if mine != right {
            wrong.append("\(name): \(mine.prefix(3000))\nnot \(right.prefix(3000))")
        }
    }

    /// A device's own, or that there is none.
    private func compareRecord(
        of device: String, _ reader: Connection, _ wanted: TestStore
    ) throws {
        let report = try ReportDefinition.named("devices")
        func lines(_ app: QueryApp, _ connection: Connection) throws -> String {
            let pages = try ExportLines(of: hash(device), question(report, [], app), connection)
            return try pages.map { try text(of: $0, connection) } ?? "unknown"
        }
        let right = try lines(wanted.app, wanted.connection)
        note("the record of \(device)", try lines(QueryApp(app), reader), right)
        if (right == "unknown") == state.devices.contains(device) {
            wrong.append("\(device) is or is not there")
        }
    }

    /// The same by brute force.
    private func compareTwin(
        _ days: Pairs, _ interval: Interval, _ filter: Pairs, _ reader: Connection
    ) throws {
        let dated = days + [("interval", interval.rawValue)]
        let app = QueryApp(app)
        func ask(_ name: String, _ pairs: Pairs) throws -> Report {
            try ReportRunner.run(question(.named(name), pairs, app), reader)
        }
        let twin = Twin(
            state.batches, try question(.named("active"), dated, app),
            filters: Dictionary(grouping: filter, by: \.name).mapValues { $0.map(\.value) },
            lasting: state.facts)
        let lifetime = try ask("lifetime", days + filter)
        let quality = try ask("quality", dated + filter)
        let names = ["aes128gcm", "jwe", "plain", "legacy"]
        let all: [(name: String, mine: [[Cell]], right: [[Cell]])] = [
            ("active", try ask("active", dated + filter).rows.map(\.cells), twin.active()),
            ("sessions", try ask("sessions", dated + filter).rows.map(\.cells), twin.sessionRows()),
            (
                "retention",
                try ask("retention", days + filter + [("cohort", "day"), ("periods", "9")])
                    .rows.map(\.cells), twin.retention(cohort: .day, periods: 9)
            ),
            (
                "events", try ask("events", dated + filter).rows.map(\.cells),
                twin.eventRows(dated: true, limit: 100)
            ),
            (
                "counters", try ask("counters", days + filter).rows.map(\.cells),
                twin.counterRows(dated: false, limit: 100)
            ),
            ("platforms", try ask("platforms", days + filter).rows.map(\.cells), twin.platforms()),
            (
                "versions",
                try ask("versions", days + filter + [("dimension", "os.version")])
                    .rows.map(\.cells), twin.versions("os.version", limit: 100)
            ),
            ("content", try ask("content", days + filter).rows.map(\.cells), twin.content()),
            ("videos", try ask("videos", days + filter).rows.map(\.cells), twin.videos()),
            ("lifetime", lifetime.rows.map(\.cells), twin.lifetime(inactive: 28).rows),
            (
                "lifetime", [lifetime.members.map(\.value)],
                [twin.lifetime(inactive: 28).members]
            ),
            ("quality", quality.rows.map(\.cells), twin.quality()),
            (
                "quality", [quality.members.map(\.value)],
                [
                    [
                        twin.batches { names[Int($0.profile) - 1] },
                        twin.batches(by: \.key),
                        Twin.clients(twin.clients(named: 100)),
                    ]
                ]
            ),
            ("rejects", try ask("rejects", dated).rows.map(\.cells), twin.rejects(state.refused)),
        ]
        for (name, mine, right) in all where mine != right {
            let place = zip(mine, right).enumerated().first { $1.0 != $1.1 }?.offset
            let row = place.map { "\(mine[$0])\nnot \(right[$0])" } ?? "more or fewer rows"
            wrong.append("\(name) from \(dated) by \(filter) is not its twin's: \(row)")
        }
    }

    private func question(
        _ report: ReportDefinition, _ pairs: Pairs, _ app: QueryApp
    ) throws -> Question {
        try ModelQuestions.question(report, pairs, app, now: now)
    }

    private func answer(_ question: Question, _ connection: Connection) throws -> String {
        guard case .lines = question.definition.shape else {
            return try ReportRunner.run(question, connection).json
        }
        return try text(of: ExportLines(question), connection)
    }

    private func text(of pages: ExportLines, _ connection: Connection) throws -> String {
        try ModelQuestions.text(of: pages) { (pages) throws in
            try pages.next(connection, limit: 900)
        }
    }
}
