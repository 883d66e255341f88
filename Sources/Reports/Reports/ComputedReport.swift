import Query

/// A report of rows, computed whole.
package protocol ComputedReport: SendableMetatype {
    /// What the catalogue says of it.
    static var definition: ReportDefinition { get }

    /// The answer to a question, with groups however small. Throws what the queries throw, an interruption
    /// too; whatever works long between questions calls `Queries.check`.
    static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report
}
