/// A queue, without duplicates, of days whose small segments may have to be merged. It is worked off in slices, so that
/// no batch waits for all of them. It is not stored: after a restart a day keeps its small segments until events of it
/// are packed again.
struct DueMerges {
    /// A day of an app.
    struct Day: Hashable {
        let app: Int64
        /// Days since 1970-01-01, UTC.
        let day: Int64
    }

    private var line: [Day] = []
    /// Index of the first element; those before it have been taken.
    private var head = 0
    private var waiting: Set<Day> = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Appends a day, unless it is queued already.
    mutating func add(_ day: Day) {
        if waiting.insert(day).inserted { line.append(day) }
    }

    /// Removes the day that was queued first; nil if the queue is empty.
    mutating func takeFirst() -> Day? {
        guard head < line.count else { return nil }
        let first = line[head]
        head += 1
        waiting.remove(first)
        if head > line.count / 2 {
            line.removeFirst(head)
            head = 0
        }
        return first
    }
}
