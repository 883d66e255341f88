/// Tells where a group of batches ends that are committed as one.
///
/// While the writer fills a group, the loops have nothing to do as soon as all batches that are under way are in it or
/// wait for it: with ten to a hundred connections that is soon. So one that has half of them ends, and its answers
/// bring new work to the loops while the writer takes the other half. But not before it has been filled for some times
/// as long as its commit will take.
struct GroupEnd {
    private let begin: UInt64
    private let early: UInt64
    private let late: UInt64
    private let maxCount: Int

    /// - Parameters:
    ///   - begin: when its first batch was taken, uptime in nanoseconds
    ///   - commit: how long the last commit took, in nanoseconds
    init(begin: UInt64, lastCommit commit: UInt64, _ limits: StoreWriter.WriteLimits) {
        self.begin = begin
        let (share, isTooLong) = commit.multipliedReportingOverflow(by: limits.commitsPerGroup)
        early = isTooLong ? .max : share
        late = limits.groupNanoseconds
        maxCount = limits.batchesPerCommit
    }

    /// Whether it takes no further batch.
    /// - Parameters:
    ///   - count: how many it has
    ///   - hasHalf: whether it ends as many requests as wait, asked for only where it matters
    ///   - now: uptime in nanoseconds
    func isReached(_ count: Int, hasHalf: () -> Bool, at now: UInt64) -> Bool {
        let age = now > begin ? now - begin : 0
        return count >= maxCount || age >= late || age >= early && hasHalf()
    }
}
