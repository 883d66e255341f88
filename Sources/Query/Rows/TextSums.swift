import Database
import Storage
import TimeZones

/// Sums by text. The text numbered n in `codes` is the name n + 1 in `sums`; 0 is for no text.
struct TextSums: ReportShare {
    var codes: TextCodes
    var sums: NamedSums

    /// With a sum for each of `buckets`, where there are any.
    /// - Parameter account: of the report
    init(by buckets: Buckets?, _ account: ReportAccount = .unbounded) {
        codes = TextCodes(account)
        sums = NamedSums(by: buckets, account)
    }

    mutating func merge(_ other: TextSums) throws(StorageError) {
        try sums.merge(other.sums, names: [0] + codes.merge(other.codes).map { $0 + 1 })
    }
}
