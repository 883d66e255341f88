/// Sorts indexes by what only the caller knows, with at most n log n questions in the worst order: for keys
/// that stand in a `Span`, which no array can hold.
enum MergeSort {
    /// The indexes from 0 in order; of those that are equal only the last.
    /// - Parameter compare: below 0 where the first one is first, 0 where they are equal
    static func lastOfEach(_ count: Int, _ compare: (Int, Int) -> Int) -> [Int] {
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
                    if left < middle, right >= end || compare(from[left], from[right]) <= 0 {
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
        var order: [Int] = []
        for index in from {
            if let last = order.last, compare(last, index) == 0 {
                order[order.count - 1] = index
            } else {
                order.append(index)
            }
        }
        return order
    }
}
