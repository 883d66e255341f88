import TimeZones

/// Asks a server every question of a truth document and compares its answers row by row.
package struct TruthCheck: Sendable {
    package let app: String
    /// Its name.
    package let timeZone: String
    package let from: CivilDate
    package let to: CivilDate
    /// Milliseconds.
    package let sessionTimeout: Int64
    private let zone: TimeZoneRules
    private let answers: [MeantAnswer]

    /// Reads a document that `Truth` has written.
    package init(_ document: [UInt8]) throws(TruthFailure) {
        let value: JSONValue
        do {
            value = try JSONValue(document)
        } catch {
            throw TruthFailure("the truth document is no JSON from byte \(error.offset) on")
        }
        guard let version = value["truth"]?.integer else {
            throw TruthFailure("this is no truth document: it has no member truth")
        }
        guard version == DocumentWriter.version else {
            throw TruthFailure("the truth document is of version \(version), which is not known")
        }
        guard let app = value["app"]?.string, let name = value["time_zone"]?.string,
            let from = value["from"]?.string.flatMap({ CivilDate(parsing: Array($0.utf8)) }),
            let to = value["to"]?.string.flatMap({ CivilDate(parsing: Array($0.utf8)) }),
            let timeout = value["session_timeout_ms"]?.integer,
            let questions = value["questions"]?.elements
        else { throw TruthFailure("the truth document lacks a member that every one has") }
        guard let zone = try? TimeZoneRules(name: name) else {
            throw TruthFailure(
                "the truth document has a time zone that this machine lacks: \(name)")
        }
        guard !questions.isEmpty else { throw TruthFailure("the truth document asks nothing") }
        self.app = app
        timeZone = name
        self.zone = zone
        self.from = from
        self.to = to
        sessionTimeout = timeout
        var answers: [MeantAnswer] = []
        for (index, question) in questions.enumerated() {
            answers.append(try MeantAnswer(question, index: index))
        }
        self.answers = answers
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01T00:00:00Z
    ///   - progress: told how many questions are asked, and of how many
    ///   - ask: gets the report's name and its parameters without `app` and `format`; gives the JSON answer
    /// - Throws: what `ask` throws, and `TruthFailure` for an answer that is no report
    package func run(
        now: () -> Int64, progress: (Int, Int) -> Void = { _, _ in },
        ask: (String, [(name: String, value: String)]) throws -> [UInt8]
    ) throws -> TruthOutcome {
        var outcome = TruthOutcome()
        for (index, meant) in answers.enumerated() {
            progress(index, answers.count)
            let parameters = meant.parameters.map { (name: $0.name, value: $0.value) }
            var today = zone.day(at: now())
            var given = try ask(meant.report, parameters)
            while case let after = zone.day(at: now()), after != today {
                // Midnight passed: which day the answer was made on nobody knows.
                today = after
                given = try ask(meant.report, parameters)
            }
            var comparison = AnswerComparison(meant.asked(on: today), outcome)
            comparison.compare(try GivenAnswer(given, report: meant.report))
            outcome = comparison.outcome
        }
        return outcome
    }
}
