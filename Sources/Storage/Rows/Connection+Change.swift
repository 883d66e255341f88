import Database

extension Connection {
    /// Runs one statement once with whole numbers for its parameters.
    /// - Returns: how many rows it changed
    @discardableResult
    package func change(_ sql: String, _ values: Int64...) throws(StorageError) -> Int64 {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() {
            try statement.bind(Int32(index + 1), value)
        }
        try statement.run()
        return changes
    }

    /// The first column of all rows of a query with whole numbers for its parameters.
    package func integers(_ sql: String, _ values: Int64...) throws(StorageError) -> [Int64] {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() {
            try statement.bind(Int32(index + 1), value)
        }
        var integers: [Int64] = []
        while try statement.step() { integers.append(statement.int(0)) }
        return integers
    }

    /// Counts, in the transaction that deletes rows of an app, that it did: whoever caches an answer by
    /// what was stored (docs/reports.md, Caching by ETag) sees that it may have changed.
    package func noteRemoval(of app: Int64) throws(StorageError) {
        let name = Self.removals(of: app)
        try setFact(name, (try fact(name) ?? 0) &+ 1)
    }

    /// The same by the row of a device of the app, which must still be there.
    package func noteRemoval(ofDevice device: Int64) throws(StorageError) {
        for app in try integers("SELECT app FROM device WHERE id = ?", device) {
            try noteRemoval(of: app)
        }
    }

    /// The fact of `meta` with the last batch up to which all were deleted that had been handed over.
    package static let spoolEmptiedTo = "spool_emptied_to"

    /// The fact of `meta` with a random number by which an engine tells this database from others. It is made when an
    /// engine is first asked; a copy that is brought back has none.
    package static let engineMark = "engine_mark"

    /// The fact of `meta` that counts them.
    package static func removals(of app: Int64) -> String { "removals_\(app)" }

    /// A single fact of `meta`; nil where it is not there.
    package func fact(_ name: String) throws(StorageError) -> Int64? {
        let row = try prepare("SELECT value FROM meta WHERE name = ?")
        try row.bind(1, name)
        return try row.step() ? row.optionalInt(0) : nil
    }
}

extension Connection {
    /// Runs `body` on one state of the database, whatever is written meanwhile. The WAL cannot be
    /// emptied for as long. Not to be nested.
    package func snapshot<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }
}
