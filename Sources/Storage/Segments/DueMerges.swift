/// Days whose segments may have to be merged, each once, in the order in which they became due: to be looked at in
/// slices, so that no batch waits for all of them. In memory only: a day of which nothing is packed after a restart
/// keeps its small segments.
struct DueMerges {
    /// A day of an app.
    struct Day: Hashable {
        let app: Int64
        /// Days since 1970-01-01, UTC.
        let day: Int64
    }

    private var line: [Day] = []
    /// Those before it have been taken.
    private var head = 0
    private var waiting: Set<Day> = []

    var isEmpty: Bool { waiting.isEmpty }

    /// At the end of the line, unless it waits already.
    mutating func add(_ day: Day) {
        if waiting.insert(day).inserted { line.append(day) }
    }

    /// The one that has waited longest; nil where none does.
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
