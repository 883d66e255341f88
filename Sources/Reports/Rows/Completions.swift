/// Completions of which the earliest of each device and content are kept, and at times some more: memory
/// follows how many of these there are. Of equally early ones one a batch is kept.
struct Completions {
    private var all: [Completion] = []
    private var limit = 1 << 16

    mutating func add(_ completion: Completion) {
        all.append(completion)
        if all.count >= limit {
            compact()
            limit = max(limit, all.count * 2)
        }
    }

    /// Adds those of another.
    /// - Parameter contents: by the other's numbers of contents, those here
    mutating func merge(_ other: Completions, contents: [Int]) {
        for completion in other.all { add(completion.of(contents[Int(completion.content)])) }
    }

    /// The earliest ones, by device and content.
    mutating func sorted() -> [Completion] {
        compact()
        return all
    }

    private mutating func compact() {
        RowOrder.sort(&all, by: \.device) { a, b in
            if a.content != b.content { return a.content < b.content }
            return a.time != b.time ? a.time < b.time : a.batch < b.batch
        }
        var kept = 0
        for place in all.indices {
            let one = all[place]
            if kept > 0 {
                let last = all[kept - 1]
                if last.isLike(one), last.time != one.time || last.batch == one.batch { continue }
            }
            all[kept] = one
            kept += 1
        }
        all.removeSubrange(kept...)
    }
}
