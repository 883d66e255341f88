import Storage

/// The resources that a filter lets through, as a thread comes across them: a resource is looked at when
/// the app's rows name it for the first time.
struct ResourceSet: Sendable {
    private struct Known {
        let filter: ResourceFilter
        let texts: ResourceTexts
        var resources: RowNumbers
        /// By the number of a resource.
        var passes: [Bool] = []
    }

    /// Nil: all.
    private var known: Known?

    /// Those that a filter lets through. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        if filter.isEmpty { return }
        known = Known(
            filter: filter, texts: try ResourceTexts(reading),
            resources: RowNumbers(reading.account))
    }

    /// Whether batches of this resource count, by its row. Throws what the database throws.
    @inline(__always)
    mutating func contains(_ resource: Int64) throws(StorageError) -> Bool {
        guard let known else { return true }
        if let number = known.resources.known(resource) { return known.passes[number] }
        return try look(at: resource)
    }

    @inline(never)
    private mutating func look(at resource: Int64) throws(StorageError) -> Bool {
        guard var known = known.take() else { return true }
        defer { self.known = known }
        let passes = try known.texts.texts(of: resource).map(known.filter.letsThrough) ?? false
        _ = known.resources.number(of: resource)
        known.passes.append(passes)
        return passes
    }
}
