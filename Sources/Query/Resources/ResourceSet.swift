import Database
import Storage

/// The resources that match a filter, as a thread comes across them: it reads a resource when the
/// app's rows name it for the first time.
struct ResourceSet: Sendable {
    private let matchesAll: Bool
    private let filter: ResourceFilter
    /// Nil where all match.
    private let texts: ResourceTexts?
    private var resources: RowNumbers
    /// By the number of a resource.
    private var matches: [Bool] = []

    /// The resources that match a filter. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        matchesAll = filter.isEmpty
        self.filter = filter
        texts = matchesAll ? nil : try ResourceTexts(reading)
        resources = RowNumbers(reading.account)
    }

    /// Whether batches of this resource count, by its row. Throws what the database throws.
    @inline(__always)
    mutating func contains(_ resource: Int64) throws(StorageError) -> Bool {
        if matchesAll { return true }
        if let number = resources.known(resource) { return matches[number] }
        return try read(resource)
    }

    @inline(never)
    private mutating func read(_ resource: Int64) throws(StorageError) -> Bool {
        let isMatch = try texts?.texts(of: resource).map(filter.letsThrough) ?? false
        _ = resources.number(of: resource)
        matches.append(isMatch)
        return isMatch
    }
}
