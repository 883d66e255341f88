import Query

/// From a question to its answer, for the service and the command line alike.
package enum ReportRunner {
    /// Answers a question of a report with rows, small groups hidden. Whoever holds what is asked has all the
    /// report's queries see one state of the data, and ends the report early if it is to. Throws what the
    /// queries throw. A report of lines has no rows.
    package static func run(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report {
        guard case .rows(let compute) = question.definition.answer else {
            return Report(question, rows: [])
        }
        var report = try compute(question, queries)
        try queries.check()
        report.hideSmallGroups(below: question.settings.minGroup, by: question.definition)
        return report
    }
}
