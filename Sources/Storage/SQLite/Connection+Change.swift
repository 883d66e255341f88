extension Connection {
    /// Runs one statement once with whole numbers for its parameters.
    /// - Returns: how many rows it changed
    @discardableResult
    func change(_ sql: String, _ values: Int64...) throws(StorageError) -> Int64 {
        let statement = try prepare(sql)
        for (place, value) in values.enumerated() {
            try statement.bind(Int32(place + 1), value)
        }
        try statement.run()
        return changes
    }

    /// The first column of all rows of a query with whole numbers for its parameters.
    func integers(_ sql: String, _ values: Int64...) throws(StorageError) -> [Int64] {
        let statement = try prepare(sql)
        for (place, value) in values.enumerated() {
            try statement.bind(Int32(place + 1), value)
        }
        var integers: [Int64] = []
        while try statement.step() { integers.append(statement.int(0)) }
        return integers
    }

    /// Counts, in the transaction that takes stored rows away, that it did: who knows an answer by what
    /// was stored (docs/reports.md, Caching by ETag) sees that it may have changed.
    func noteRemoval() throws(StorageError) {
        try setFact("removals", (try fact("removals") ?? 0) &+ 1)
    }

    /// A single fact of `meta`; nil where it is not there.
    package func fact(_ name: String) throws(StorageError) -> Int64? {
        let row = try prepare("SELECT value FROM meta WHERE name = ?")
        try row.bind(1, name)
        return try row.step() ? row.optionalInt(0) : nil
    }
}
