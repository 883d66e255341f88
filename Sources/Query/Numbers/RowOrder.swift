import Database
import Storage

/// Sorting by rows of the database: whole numbers that are mostly small, of which many are the same. They
/// are counted, so that only what has the same row is compared.
enum RowOrder {
    /// So few of one row are sorted by insertion.
    private static let few = 24
    /// So many are sorted between two looks whether the report is to end.
    private static let many = 1 << 16

    /// What a sort calls now and then, which ends it by throwing.
    typealias Check = () throws(StorageError) -> Void

    /// Sorts by row, and those of one row so that none precedes one before it. In its caller, so that `row`
    /// is no call.
    @inline(__always)
    static func sort<Item>(
        _ items: inout [Item], by row: (Item) -> Int64, then precedes: (Item, Item) -> Bool,
        _ check: Check
    ) throws(StorageError) {
        var (least, greatest) = (Int64.max, Int64.min)
        for item in items {
            least = min(least, row(item))
            greatest = max(greatest, row(item))
        }
        let (span, isFar) = greatest.subtractingReportingOverflow(least)
        guard !items.isEmpty, !isFar, span < Int64(items.count) &* 4 + 65_536 else {
            return try sort(
                &items,
                by: { a, b in row(a) != row(b) ? row(a) < row(b) : precedes(a, b) }, check)
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
            if end - start > many {
                var some = Array(items[start..<end])
                try sort(&some, by: precedes, check)
                items.replaceSubrange(start..<end, with: some)
            } else if end - start > few {
                items[start..<end].sort(by: precedes)
            } else {
                var span = items.mutableSpan
                insert(&span, start..<end, precedes)
            }
            start = end
        }
    }

    /// Sorts so that none precedes one before it, a piece at a time: however many there are, `check` is
    /// called before long.
    static func sort<Item>(
        _ items: inout [Item], by precedes: (Item, Item) -> Bool, _ check: Check
    ) throws(StorageError) {
        for start in stride(from: 0, to: items.count, by: many) {
            items[start..<min(start + many, items.count)].sort(by: precedes)
            try check()
        }
        var length = many
        while length < items.count {
            var merged: [Item] = []
            merged.reserveCapacity(items.count)
            for start in stride(from: 0, to: items.count, by: 2 * length) {
                let middle = min(start + length, items.count)
                let end = min(middle + length, items.count)
                var (a, b) = (start, middle)
                while a < middle || b < end {
                    if b == end || a < middle && !precedes(items[b], items[a]) {
                        merged.append(items[a])
                        a += 1
                    } else {
                        merged.append(items[b])
                        b += 1
                    }
                    if merged.count % many == 0 { try check() }
                }
            }
            items = merged
            length *= 2
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
