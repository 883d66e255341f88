import Testing

@testable import Storage

@Suite("Where a group of batches ends")
struct GroupEndTests {
    private func isReached(
        _ count: Int, waiting: Int, after age: UInt64, lastCommit: UInt64 = 100,
        commitsPerGroup: UInt64 = 3
    ) -> Bool {
        var limits = StoreWriter.WriteLimits()
        limits.batchesPerCommit = 8
        limits.groupNanoseconds = 1000
        limits.commitsPerGroup = commitsPerGroup
        return GroupEnd(begin: 50, lastCommit: lastCommit, limits)
            .isReached(count, hasHalf: { count >= waiting }, at: 50 + age)
    }

    @Test("where it has as many as one commit takes, or took batches for too long")
    func limits() {
        #expect(isReached(8, waiting: 100, after: 0))
        #expect(!isReached(7, waiting: 100, after: 999))
        #expect(isReached(1, waiting: 100, after: 1000))
    }

    @Test("where it has half of what is under way, once its commit is worth it")
    func half() {
        #expect(isReached(4, waiting: 4, after: 300))
        #expect(!isReached(4, waiting: 5, after: 300))
        #expect(!isReached(4, waiting: 4, after: 299))
        // A slow disk: all that there are in one commit.
        #expect(!isReached(4, waiting: 1, after: 999, lastCommit: 5000))
        #expect(!isReached(4, waiting: 1, after: 999, lastCommit: .max))
        #expect(!isReached(4, waiting: 1, after: 999, commitsPerGroup: .max))
    }

    @Test("nowhere before it began, whatever the clock says")
    func clock() {
        #expect(
            !GroupEnd(begin: 50, lastCommit: 100, StoreWriter.WriteLimits())
                .isReached(1, hasHalf: { true }, at: 40))
    }
}
