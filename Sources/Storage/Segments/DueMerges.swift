/// Days whose segments may have to be merged, each once: to be looked at in slices, so that no batch waits for all of
/// them. In memory only: a day of which nothing is packed after a restart keeps its small segments.
struct DueMerges {
    /// A day of an app.
    struct Day: Hashable {
        let app: Int64
        /// Days since 1970-01-01, UTC.
        let day: Int64
    }

    private var days: Set<Day> = []

    var isEmpty: Bool { days.isEmpty }

    mutating func add(_ day: Day) { days.insert(day) }

    /// Nil where none is left.
    mutating func takeAny() -> Day? { days.popFirst() }
}
