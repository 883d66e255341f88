import Testing

@testable import Reports

@Suite("Sorting by rows")
struct RowOrderTests {
    private struct Item: Equatable {
        let row: Int64
        let number: Int
    }

    @Test(
        "is the same however far rows lie apart",
        arguments: [1, 3, 100, 70_000, 1 << 40], [0, 1, 2, 30, 3000])
    func sorted(span: Int64, count: Int) {
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
            RowOrder.sort(&items, by: \.row) { $0.number < $1.number }
            #expect(items == expected)
        }
    }

    @Test("of rows as far apart as can be is no trap")
    func extremes() {
        var items = [Item(row: .max, number: 1), Item(row: .min, number: 2)]
        RowOrder.sort(&items, by: \.row) { $0.number < $1.number }
        #expect(items.map(\.number) == [2, 1])
    }
}
