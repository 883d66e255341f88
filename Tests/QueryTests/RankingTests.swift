import Database
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import Query

@Suite("The first of many")
struct RankingTests {
    private let reading: Reading

    init() throws { reading = Reading(try TestStore().connection, Interruption()) }

    @Test(
        "are those that a sort puts first, in its order",
        arguments: [0, 1, 2, 9, 100, 5000, 20_000])
    func first(limit: Int) throws {
        var random = SplitMix(seed: UInt64(limit))
        let values = (0..<10_000).map { _ in Int.random(in: 0..<50, using: &random) }
        func precedes(_ a: Int, _ b: Int) -> Bool {
            values[a] != values[b] ? values[a] > values[b] : a < b
        }
        var ranking = Ranking(limit)
        try ranking.add(values.indices, where: { $0 % 3 != 0 }, reading, by: precedes)
        let all = values.indices.filter { $0 % 3 != 0 }.sorted(by: precedes)
        #expect(ranking.ranked == Array(all.prefix(limit)))
    }

    @Test("are not looked for any more by a report that is to end")
    func ends() throws {
        let interruption = Interruption()
        interruption.raise()
        let reading = Reading(try TestStore().connection, interruption)
        var ranking = Ranking(3)
        #expect(throws: StorageError.self) { try ranking.add(0..<10, reading, by: <) }
    }
}
