import Query

/// A report of rows, computed as a whole.
package protocol ComputedReport: SendableMetatype {
    /// Its entry in the catalogue.
    static var definition: ReportDefinition { get }

    /// The answer to a question, small groups included. Throws what the queries throw, also an
    /// interruption; a report that computes long between questions calls `Queries.check`.
    static func answer(
        _ question: Question, _ queries: any Queries
    ) throws(QueryError) -> Report
}
