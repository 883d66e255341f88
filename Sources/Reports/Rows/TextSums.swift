/// Sums by text. The text numbered n in `codes` is the name n + 1 in `sums`; 0 is for no text.
struct TextSums: ReportShare {
    var codes = TextCodes()
    var sums: NamedSums

    /// With a sum for each of `buckets`, where there are any.
    init(by buckets: Buckets?) { sums = NamedSums(by: buckets) }

    mutating func merge(_ other: TextSums) {
        sums.merge(other.sums, names: [0] + codes.merge(other.codes).map { $0 + 1 })
    }
}
