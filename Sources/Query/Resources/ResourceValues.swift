import Database
import Storage

/// The values that the resources a thread comes across have in one dimension, or in all texts of the client,
/// numbered from 0 in order of appearance.
struct ResourceValues: Sendable {
    private(set) var codes: TextCodes
    private let texts: ResourceTexts
    /// The index of the text that is the value; nil: all of them, with `/` between.
    private let dimension: Int?
    private var resources: RowNumbers
    /// By the number of a resource.
    private var values: [Int32] = []
    private var held: HeldBytes

    /// - Parameters:
    ///   - dimension: one of `ResourceFilter.dimensions`
    ///   - texts: of the report
    init(_ dimension: String, _ texts: ResourceTexts, _ account: ReportAccount) {
        self.init(ResourceFilter.dimensions.firstIndex(of: dimension) ?? 0, of: texts, account)
    }

    /// All texts of a resource are one value, with `/` between.
    init(of texts: ResourceTexts, _ account: ReportAccount) { self.init(nil, of: texts, account) }

    private init(_ dimension: Int?, of texts: ResourceTexts, _ account: ReportAccount) {
        self.texts = texts
        self.dimension = dimension
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

    @inline(never)
    private mutating func read(_ resource: Int64) throws(StorageError) -> Int {
        // Resources and their texts may be as many as batches, which are read without such a look.
        try held.account.check()
        let texts = try texts.texts(of: resource)
        let text = texts.map { texts in
            dimension.map { texts[$0].bytes } ?? Array(texts.map(\.bytes).joined(separator: [0x2F]))
        }
        let value = text.map { codes.code(of: $0.span) } ?? -1
        _ = resources.number(of: resource)
        values.append(Int32(truncatingIfNeeded: value), &held)
        return value
    }
}
