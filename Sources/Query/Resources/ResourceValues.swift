import Database
import Storage

/// The values that the resources a thread comes across have in one dimension, numbered from 0 in
/// order of appearance.
struct ResourceValues: Sendable {
    private(set) var codes: TextCodes
    private let texts: ResourceTexts
    private let dimension: Int
    private var resources: RowNumbers
    /// By the number of a resource.
    private var values: [Int32] = []
    private var held: HeldBytes

    /// - Parameters:
    ///   - dimension: one of `ResourceFilter.dimensions`
    ///   - texts: of the report
    init(_ dimension: String, _ texts: ResourceTexts, _ account: ReportAccount) {
        self.texts = texts
        self.dimension = ResourceFilter.dimensions.firstIndex(of: dimension) ?? 0
        codes = TextCodes(account)
        resources = RowNumbers(account)
        held = HeldBytes(account)
    }

    /// The number of a resource's value, by its row; nil where there is no such resource. Throws
    /// what the database throws.
    @inline(__always)
    mutating func value(of resource: Int64) throws(StorageError) -> Int? {
        let value =
            if let number = resources.known(resource) {
                Int(values[number])
            } else {
                try read(resource)
            }
        return value < 0 ? nil : value
    }

    /// Gives numbers to the values of another.
    /// - Returns: the numbers here, by the other's numbers
    mutating func merge(_ other: ResourceValues) throws(StorageError) -> [Int] {
        try codes.merge(other.codes)
    }

    private mutating func read(_ resource: Int64) throws(StorageError) -> Int {
        let text = try texts.texts(of: resource)?[dimension]
        let value = text.map { codes.code(of: $0.bytes.span) } ?? -1
        _ = resources.number(of: resource)
        values.append(Int32(truncatingIfNeeded: value), &held)
        return value
    }
}
