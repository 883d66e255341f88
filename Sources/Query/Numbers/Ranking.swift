import Database
import Storage

/// The first of many numbers in some order, so many at most: of the others none is held, and none is put in
/// order.
struct Ranking {
    /// Between two looks whether the report is to end.
    private static let stride = 4096

    private let limit: Int
    /// In order once all have been added; before that, where there are as many as may be, a heap: none
    /// precedes one of the two below it.
    private(set) var ranked: [Int] = []

    /// - Parameter limit: how many are wanted
    init(_ limit: Int) { self.limit = limit }

    /// Adds all numbers there are, and puts the first of them in order. Throws if the report is to end.
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
        for place in (0..<ranked.count / 2).reversed() { sink(place, precedes) }
    }

    private mutating func sink(_ top: Int, _ precedes: (Int, Int) -> Bool) {
        var place = top
        while true {
            var last = place
            for below in [2 * place + 1, 2 * place + 2]
            where below < ranked.count && precedes(ranked[last], ranked[below]) {
                last = below
            }
            if last == place { return }
            ranked.swapAt(place, last)
            place = last
        }
    }
}
