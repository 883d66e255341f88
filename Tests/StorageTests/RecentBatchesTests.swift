import Testing

@testable import Storage

@Suite("keys of recent batches")
struct RecentBatchesTests {
    @Test("are found whatever else is there, and go in the order in which they came")
    func model() {
        var random = SeededGenerator(seed: 5)
        // More than there is room for, and keys of which some are equal but for their batch.
        for capacity in [1, 8, 200] {
            var batches = RecentBatches(capacity: capacity)
            var keys: [RepeatKey] = []
            for number in 1...2000 {
                if random.oneIn(40) {
                    keys.removeLast(min(keys.count, Int.random(in: 0...30, using: &random)))
                    batches.truncate(to: keys.count)
                }
                if random.oneIn(700) {
                    keys = []
                    batches.removeAll()
                }
                let key = RepeatKey(
                    device: .random(in: 1...4, using: &random),
                    digest: .random(in: -20...20, using: &random), batch: Int64(number))
                keys.append(key)
                batches.append(key)
                let wanted = RepeatKey(
                    device: .random(in: 1...4, using: &random),
                    digest: .random(in: -20...20, using: &random), batch: 0)
                #expect(
                    Set(batches.batches(of: wanted.device, digest: wanted.digest))
                        == Set(
                            keys.filter { $0.device == wanted.device && $0.digest == wanted.digest }
                                .map(\.batch)))
            }
            #expect(batches.keys == keys)
        }
    }

    @Test("the digest of an id never changes: it stands in files")
    func digests() {
        #expect(RepeatKey.digest(of: "".utf8.span) == 1_885_547_765)
        #expect(RepeatKey.digest(of: "b-1".utf8.span) == 1_605_888_447)
        #expect(
            RepeatKey.digest(of: "0193a1f2-7c11-7b0e-9a55-0c7d7f4f5a01".utf8.span)
                == -1_298_577_528)
    }
}
