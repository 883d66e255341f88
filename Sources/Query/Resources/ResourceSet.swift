import Database
import Storage

/// The resources that a filter lets through, as a thread comes across them: a resource is looked at when
/// the app's rows name it for the first time.
struct ResourceSet: Sendable {
    private let letsAll: Bool
    private let filter: ResourceFilter
    /// Nil where the filter lets all through.
    private let texts: ResourceTexts?
    private var resources: RowNumbers
    /// By the number of a resource.
    private var passes: [Bool] = []

    /// Those that a filter lets through. Throws what the database throws.
    init(_ filter: ResourceFilter, _ reading: Reading) throws(StorageError) {
        letsAll = filter.isEmpty
        self.filter = filter
        texts = letsAll ? nil : try ResourceTexts(reading)
        resources = RowNumbers(reading.account)
    }

    /// Whether batches of this resource count, by its row. Throws what the database throws.
    @inline(__always)
    mutating func contains(_ resource: Int64) throws(StorageError) -> Bool {
        if letsAll { return true }
        if let number = resources.known(resource) { return passes[number] }
        return try look(at: resource)
    }

    @inline(never)
    private mutating func look(at resource: Int64) throws(StorageError) -> Bool {
        let isLetThrough = try texts?.texts(of: resource).map(filter.letsThrough) ?? false
        _ = resources.number(of: resource)
        passes.append(isLetThrough)
        return isLetThrough
    }
}
