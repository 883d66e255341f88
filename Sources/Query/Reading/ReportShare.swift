import Database
import Storage

/// What one thread makes of its share of a scan. Which share that is, and in which order shares are put
/// together, is chance and must not show in the answer.
protocol ReportShare: Sendable {
    /// Adds what another thread made. Throws if the report is to end: what is long looks now and then whether
    /// it holds too much (`ReportAccount.check`).
    mutating func merge(_ other: Self) throws(StorageError)
}
