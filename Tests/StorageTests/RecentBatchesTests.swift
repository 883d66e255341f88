import TestSupport
import Testing

@testable import Storage

@Suite("keys of recent batches")
struct RecentBatchesTests {
    @Test("are found whatever else is there, and go in the order in which they came")
    func model() {
        var random = SplitMix(seed: 5)
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
}
