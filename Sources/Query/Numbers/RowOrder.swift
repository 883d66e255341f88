import Database
import Storage

/// Sorting by rows of the database: whole numbers that are mostly small, and many of them equal. It
/// counts them, so that only items of the same row are compared.
enum RowOrder {
    /// Up to this many items of one row are sorted by insertion.
    private static let insertionThreshold = 24
    /// How many items are sorted between two checks whether the report has to end.
    private static let stride = 1 << 16

    /// A sort calls it now and then; it ends the sort by throwing.
    typealias Check = () throws(StorageError) -> Void

    /// Sorts by row, and items of one row by `precedes`. Inlined into its caller, so that `row` is
    /// no call.
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
        // The offsets at which the items of each row begin; once they are moved, at which they end.
        var offsets = [Int](repeating: 0, count: Int(span) + 2)
        for item in items { offsets[Int(row(item) - least) + 1] += 1 }
        for index in offsets.indices.dropFirst() { offsets[index] += offsets[index - 1] }
        let sorted = [Item](unsafeUninitializedCapacity: items.count) { buffer, count in
            for item in items {
                let index = Int(row(item) - least)
                buffer.initializeElement(at: offsets[index], to: item)
                offsets[index] += 1
            }
            count = items.count
        }
        items = sorted
        var start = 0
        for end in offsets where end > start {
            if end - start > stride {
                var some = Array(items[start..<end])
                try sort(&some, by: precedes, check)
                items.replaceSubrange(start..<end, with: some)
            } else if end - start > insertionThreshold {
                items[start..<end].sort(by: precedes)
            } else {
                var span = items.mutableSpan
                insert(&span, start..<end, precedes)
            }
            start = end
        }
    }

    /// Sorts by `precedes`, a piece at a time: however many items there are, it soon calls `check`.
    static func sort<Item>(
        _ items: inout [Item], by precedes: (Item, Item) -> Bool, _ check: Check
    ) throws(StorageError) {
        for start in Swift.stride(from: 0, to: items.count, by: stride) {
            items[start..<min(start + stride, items.count)].sort(by: precedes)
            try check()
        }
        var length = stride
        while length < items.count {
            var merged: [Item] = []
            merged.reserveCapacity(items.count)
            for start in Swift.stride(from: 0, to: items.count, by: 2 * length) {
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
                    if merged.count % stride == 0 { try check() }
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
            var index = end
            while index > range.lowerBound, precedes(item, items[index - 1]) {
                items[index] = items[index - 1]
                index -= 1
            }
            if index < end { items[index] = item }
        }
    }
}
