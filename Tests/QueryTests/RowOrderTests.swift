import Database
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import Query

@Suite("Sorting by rows")
struct RowOrderTests {
    private struct Item: Equatable {
        let row: Int64
        let number: Int
    }

    @Test(
        "is the same however far rows lie apart",
        arguments: [1, 3, 100, 70_000, 1 << 40], [0, 1, 2, 30, 3000])
    func sorted(span: Int64, count: Int) throws {
        var random = SplitMix(seed: UInt64(span) ^ UInt64(count))
        for least: Int64 in [1, -5, .min, .max - span] {
            var items = (0..<count).map { _ in
                Item(
                    row: least + .random(in: 0...span, using: &random),
                    number: .random(in: 0..<50, using: &random))
            }
            let expected = items.sorted {
                $0.row != $1.row ? $0.row < $1.row : $0.number < $1.number
            }
            try RowOrder.sort(&items, by: \.row, then: { $0.number < $1.number }, {})
            #expect(items == expected)
        }
    }

    @Test("of rows as far apart as can be is no trap")
    func extremes() throws {
        var items = [Item(row: .max, number: 1), Item(row: .min, number: 2)]
        try RowOrder.sort(&items, by: \.row, then: { $0.number < $1.number }, {})
        #expect(items.map(\.number) == [2, 1])
    }

    @Test("of very many of one row looks now and then whether it is to end, and is stable")
    func many() throws {
        var random = SplitMix(seed: 3)
        let items = (0..<300_000).map { Item(row: .random(in: 0...9, using: &random), number: $0) }
        var (sorted, checks) = (items, 0)
        try RowOrder.sort(&sorted, by: { $0.row < $1.row }) { checks += 1 }
        #expect(sorted == items.sorted { $0.row < $1.row })
        #expect(checks > 10)
        var one = items.map { Item(row: 1, number: $0.number ^ 0x155) }
        checks = 0
        try RowOrder.sort(&one, by: \.row, then: { $0.number < $1.number }) { checks += 1 }
        #expect(one.map(\.number) == one.map(\.number).sorted())
        #expect(checks > 10)
        var ended = items
        #expect(throws: StorageError.self) {
            try RowOrder.sort(&ended, by: { $0.row < $1.row }) { () throws(StorageError) in
                throw .closed
            }
        }
    }
}
