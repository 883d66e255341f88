import Database
import Storage

/// The first `limit` of many numbers in some order. It neither holds nor sorts the others.
struct Ranking {
    /// How many numbers are added between two checks whether the report has to end.
    private static let stride = 4096

    private let limit: Int
    /// In order once all have been added; before that, where there are `limit`, a heap: none
    /// precedes either of its two children.
    private(set) var ranked: [Int] = []

    /// - Parameter limit: how many are wanted
    init(_ limit: Int) { self.limit = limit }

    /// Adds all numbers at once, and sorts the first of them. Throws if the report has to end.
    mutating func add(
        _ numbers: Range<Int>, where isWanted: (Int) -> Bool = { _ in true }, _ reading: Reading,
        by precedes: (Int, Int) -> Bool
    ) throws(StorageError) {
        for number in numbers {
            if number % Self.stride == 0 { try reading.check() }
            guard isWanted(number), limit > 0 else { continue }
            if ranked.count < limit {
                ranked.append(number)
                if ranked.count == limit { makeHeap(precedes) }
            } else if precedes(number, ranked[0]) {
                ranked[0] = number
                sink(0, precedes)
            }
        }
        try RowOrder.sort(&ranked, by: precedes) { () throws(StorageError) in try reading.check() }
    }

    private mutating func makeHeap(_ precedes: (Int, Int) -> Bool) {
        for index in (0..<ranked.count / 2).reversed() { sink(index, precedes) }
    }

    private mutating func sink(_ top: Int, _ precedes: (Int, Int) -> Bool) {
        var index = top
        while true {
            var last = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < ranked.count && precedes(ranked[last], ranked[child]) {
                last = child
            }
            if last == index { return }
            ranked.swapAt(index, last)
            index = last
        }
    }
}
