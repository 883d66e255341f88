/// A set of numbers that is filled once and read once, sorted: an array that is sorted and freed of
/// repeats whenever it has doubled. Eight octets a number, in whatever order they come.
struct DistinctNumbers: Sendable {
    private var values: [UInt64] = []
    private var limit = 1024

    /// Adds a number.
    mutating func insert(_ value: UInt64) {
        if values.last == value { return }
        values.append(value)
        if values.count >= limit {
            compact()
            limit = max(limit, values.count * 2)
        }
    }

    /// All of them, ascending, each once.
    mutating func sorted() -> [UInt64] {
        compact()
        return values
    }

    private mutating func compact() {
        values.sort()
        var kept = 0
        for value in values where kept == 0 || values[kept - 1] != value {
            values[kept] = value
            kept += 1
        }
        values.removeSubrange(kept...)
    }
}
