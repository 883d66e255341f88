import Database
import Storage

/// What one thread makes of its share of a scan. Chance decides which share that is, and in which
/// order shares are merged; the answer must not depend on it.
protocol ReportShare: Sendable {
    /// Adds what another thread made. Throws if the report has to end: a long merge checks now and
    /// then whether it holds too much (`ReportAccount.check`).
    mutating func merge(_ other: Self) throws(StorageError)
}
