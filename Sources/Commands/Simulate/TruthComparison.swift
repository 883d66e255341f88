import JSON
import Service
import Truth

/// `--check`: what reports say beside what was meant.
struct TruthComparison {
    private let invocation: Invocation
    private let source: ReportSource

    init(_ invocation: Invocation, _ source: ReportSource) {
        self.invocation = invocation
        self.source = source
    }

    /// - Throws: `AdminFailure` of kind `dataError` where something is not as it was meant.
    func run(file: String, app: String) throws {
        let outcome: TruthOutcome
        do {
            let check = try TruthCheck(try Files.input(file))
            guard check.app == app else {
                throw AdminFailure(
                    .usage,
                    "\(file) is about the app \(Printable.text(check.app)), and not \(app)")
            }
            guard let conditions = try source.conditions() else {
                throw AdminFailure(.dataError, "no app '\(app)' is to be asked about")
            }
            try check.require(conditions)
            let bar = ProgressBar(invocation.errors, unit: "questions")
            defer { bar.finish() }
            outcome = try check.run(
                now: { Timestamp.milliseconds }, progress: { bar.show($0, of: $1) },
                ask: { try source.answer($0, $1) })
        } catch let failure as TruthFailure {
            throw AdminFailure(.dataError, "cannot check \(file): \(failure.description)")
        }
        show(outcome)
        guard outcome.differenceCount == 0 else {
            throw AdminFailure(
                .dataError,
                "the reports differ from what was meant")
        }
    }

    private func show(_ outcome: TruthOutcome) {
        let differences = outcome.differences.map { difference in
            let parameters = difference.parameters.map { (name: $0.name, value: $0.value) }
            return (difference, source.command(difference.report, parameters))
        }
        invocation.show(
            [
                ("questions", .integer(Int64(outcome.questions))),
                ("rows", .integer(Int64(outcome.rows))),
                ("differences", .integer(Int64(outcome.differenceCount))),
                ("first", .array(differences.map { Self.members($0.0, $0.1) })),
            ],
            text: differences.map { Self.line($0.0, $0.1) }.joined() + Self.sum(outcome))
    }

    private static func members(_ difference: TruthDifference, _ command: String) -> JSONValue {
        .object([
            ("report", .text(difference.report)), ("row", .text(difference.row)),
            ("column", .text(difference.column)), ("server", .text(difference.server)),
            ("meant", .text(difference.meant)), ("command", .text(command)),
        ])
    }

    private static func line(_ difference: TruthDifference, _ command: String) -> String {
        let subject = [difference.report, difference.row, difference.column]
            .filter { !$0.isEmpty }.joined(separator: ", ")
        let what =
            if difference.server == "row missing" {
                "\(subject): the row is missing, \(difference.meant)"
            } else if difference.meant == "row too many" {
                "\(subject): nobody meant the row \(difference.server)"
            } else {
                "\(subject): \(difference.server), and \(difference.meant) was meant"
            }
        return "\(Printable.text(what))\n  \(Printable.text(command))\n"
    }

    /// As `48 questions, 2195 rows: 264 differences (active 60, sessions 204)`.
    private static func sum(_ outcome: TruthOutcome) -> String {
        let asked = "\(outcome.questions) questions, \(outcome.rows) rows: "
        guard outcome.differenceCount > 0 else { return asked + "all as they were meant\n" }
        let counts = outcome.countByReport.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return asked + "\(outcome.differenceCount) differences (\(counts))\n"
    }
}
