import Storage

/// What resources say of one of the things that can be filtered by, numbered in the order of octets.
struct ResourceValues: Sendable {
    /// The distinct values, ascending; one that was not given is `unknown`.
    let texts: [ByteText]
    private var resources = RowCodes()
    /// By the number of a resource.
    private var values: [Int] = []

    /// Reads the values of one of `ResourceFilter.dimensions`. Throws what the database throws.
    init(_ dimension: String, _ reading: Reading) throws(StorageError) {
        let columns = ["os_name", "os_version", "service_version", "device_model"]
        let place = ResourceFilter.dimensions.firstIndex(of: dimension) ?? 0
        let statement = try reading.prepare("SELECT id, \(columns[place]) FROM resource")
        var rows: [(id: Int64, text: ByteText)] = []
        while try statement.step() {
            let text = ByteText(bytes: statement.blob(1))
            rows.append((statement.int(0), text.bytes.isEmpty ? .unknown : text))
        }
        texts = Set(rows.map(\.text)).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
        for row in rows {
            guard let number = numbers[row.text] else { continue }
            if resources.code(of: row.id) == values.count { values.append(number) }
        }
    }

    /// The number of a resource's value, by its row.
    func value(of resource: Int64) -> Int? { resources.known(resource).map { values[$0] } }
}
