/// Sorts indexes by what only the caller knows, with at most n log n questions in the worst order: for keys
/// that stand in a `Span`, which no array can hold.
enum MergeSort {
    /// The indexes from 0 in order; those that are equal stay in theirs.
    /// - Parameter isInOrder: whether the first may stand before the second, which comes after it in the input
    static func sorted(_ count: Int, _ isInOrder: (Int, Int) -> Bool) -> [Int] {
        var from = Array(0..<count)
        var to = from
        var width = 1
        while width < count {
            var start = 0
            while start < count {
                let middle = min(start + width, count)
                let end = min(middle + width, count)
                var (left, right) = (start, middle)
                for slot in start..<end {
                    if left < middle, right >= end || isInOrder(from[left], from[right]) {
                        to[slot] = from[left]
                        left += 1
                    } else {
                        to[slot] = from[right]
                        right += 1
                    }
                }
                start = end
            }
            swap(&from, &to)
            width *= 2
        }
        return from
    }
}
