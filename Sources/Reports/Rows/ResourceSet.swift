import Storage

/// The resources that a filter lets through, by their row ids.
struct ResourceSet: Sendable {
    /// Nil: all.
    private let rows: RowSet?

    /// Reads what a filter lets through. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        if filter.isEmpty {
            rows = nil
            return
        }
        let statement = try reading.prepare(ResourceFilter.matching)
        try statement.bind(filter)
        var rows = RowSet()
        while try statement.step() { rows.insert(statement.int(0)) }
        self.rows = rows
    }

    /// Whether batches of this resource count.
    @inline(__always)
    func contains(_ id: Int64) -> Bool { rows?.contains(id) ?? true }
}

extension Statement {
    /// Binds ?1 to ?4 to a filter.
    func bind(_ filter: ResourceFilter) throws(StorageError) {
        for (place, texts) in filter.bindings.enumerated() {
            try bindText(Int32(place + 1), texts)
        }
    }
}
