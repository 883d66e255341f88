/// Sorting by rows of the database: whole numbers that are mostly small, of which many are the same. They
/// are counted, so that only what has the same row is compared.
enum RowOrder {
    /// So few of one row are sorted by insertion.
    private static let few = 24

    /// Sorts by row, and those of one row so that none precedes one before it.
    static func sort<Item>(
        _ items: inout [Item], by row: (Item) -> Int64, then precedes: (Item, Item) -> Bool
    ) {
        var (least, greatest) = (Int64.max, Int64.min)
        for item in items {
            least = min(least, row(item))
            greatest = max(greatest, row(item))
        }
        let (span, isFar) = greatest.subtractingReportingOverflow(least)
        guard !items.isEmpty, !isFar, span < Int64(items.count) &* 4 + 65_536 else {
            return items.sort { a, b in
                row(a) != row(b) ? row(a) < row(b) : precedes(a, b)
            }
        }
        // Where the items of a row begin; in the end where they end.
        var places = [Int](repeating: 0, count: Int(span) + 2)
        for item in items { places[Int(row(item) - least) + 1] += 1 }
        for place in places.indices.dropFirst() { places[place] += places[place - 1] }
        let sorted = [Item](unsafeUninitializedCapacity: items.count) { buffer, count in
            for item in items {
                let place = Int(row(item) - least)
                buffer.initializeElement(at: places[place], to: item)
                places[place] += 1
            }
            count = items.count
        }
        items = sorted
        var start = 0
        for end in places where end > start {
            if end - start > few {
                items[start..<end].sort(by: precedes)
            } else {
                var span = items.mutableSpan
                insert(&span, start..<end, precedes)
            }
            start = end
        }
    }

    private static func insert<Item>(
        _ items: inout MutableSpan<Item>, _ range: Range<Int>, _ precedes: (Item, Item) -> Bool
    ) {
        for end in range.dropFirst() {
            let item = items[end]
            var place = end
            while place > range.lowerBound, precedes(item, items[place - 1]) {
                items[place] = items[place - 1]
                place -= 1
            }
            if place < end { items[place] = item }
        }
    }
}
