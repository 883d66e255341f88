/// What a bearer token may be used for (docs/operation.md, Commands).
package enum TokenScope: String, Sendable, CaseIterable {
    /// Posting batches of one app.
    case ingest
    /// Reading reports.
    case report
    /// Reading reports, those of single devices too.
    case admin
}
