/// What a thread has made of parts of which the heads tell enough, and the days of those of which they do
/// not.
struct PartShare<Share: ReportShare>: ReportShare {
    var share: Share
    var unclear = UnclearDays()

    mutating func merge(_ other: PartShare) {
        share.merge(other.share)
        unclear.merge(other.unclear)
    }
}
