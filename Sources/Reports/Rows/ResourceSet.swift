import Storage

/// The resources that a filter lets through, by their row ids.
struct ResourceSet: Sendable {
    private let ids: Set<Int64>?

    /// Reads what a filter lets through. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        if filter.isEmpty {
            ids = nil
            return
        }
        let statement = try reading.prepare(ResourceFilter.matching)
        try statement.bind(filter)
        var ids: Set<Int64> = []
        while try statement.step() { ids.insert(statement.int(0)) }
        self.ids = ids
    }

    /// Whether batches of this resource count.
    func contains(_ id: Int64) -> Bool { ids?.contains(id) ?? true }
}

extension Statement {
    /// Binds ?1 to ?4 to a filter.
    func bind(_ filter: ResourceFilter) throws(StorageError) {
        for (place, texts) in filter.bindings.enumerated() {
            try bindText(Int32(place + 1), texts)
        }
    }
}
