import Database
import Events
import Storage

/// Caches batches and the texts that their events refer to for one page: events are sorted by time,
/// so other events come between those of a batch.
struct StoredBatches: ~Copyable {
    private let path: String
    private let find: Statement
    private let findResource: Statement
    private let findName: Statement
    private let findKey: Statement
    private var known: [Int64: StoredBatch] = [:]
    private var resources: [Int64: ExportedResource] = [:]
    /// How many batches were read, and how many resources.
    private var (count, resourceCount) = (0, 0)
    /// Bytes of batches and resources.
    private var size = 0
    /// Names of events and keys of attributes, as JSON strings, by row.
    private var names: [Int64: [UInt8]] = [:]
    private var keys: [Int64: [UInt8]] = [:]
    /// The name that was looked up last.
    private var lastName: (row: Int64, text: [UInt8])?

    /// How many bytes the batches may take, not counting the last one, which may be as large as its
    /// body.
    private static let capacity = 4 << 20
    /// The most names that are cached, and the most keys.
    private static let maxTexts = 10_000

    /// Empty caches. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        let find = try reading.prepare(StoredBatch.select)
        let findResource = try reading.prepare(
            """
            SELECT os_name, os_version, device_model, device_manufacturer, service_version,
                app_build_id, sdk_name, sdk_version
            FROM resource WHERE id = ?1
            """)
        let findName = try reading.prepare("SELECT text FROM name WHERE id = ?1")
        let findKey = try reading.prepare("SELECT text FROM attribute_key WHERE id = ?1")
        // All or none: a value that cannot be copied is never half there.
        path = reading.connection.path
        self.find = find
        self.findResource = findResource
        self.findName = findName
        self.findKey = findKey
    }

    /// The batch in a row; nil where there is none. Throws what the database throws.
    mutating func batch(_ row: Int64) throws(StorageError) -> StoredBatch? {
        if let batch = known[row] { return batch }
        try find.bind(1, row)
        defer { find.reset() }
        guard try find.step() else { return nil }
        guard let keys = find.withText(4, { CodeList.parse($0) }) else {
            throw .damaged(path: path, found: "a batch has keys that cannot be read")
        }
        if size > Self.capacity {
            known.removeAll(keepingCapacity: true)
            resources.removeAll(keepingCapacity: true)
            size = 0
        }
        let resource = try resource(find.int(5))
        guard let batch = StoredBatch(find, keys: keys, resource: resource, number: count) else {
            throw .damaged(path: path, found: "a batch has texts that are no JSON array")
        }
        known[row] = batch
        count += 1
        size += batch.size
        return batch
    }

    private mutating func resource(_ row: Int64) throws(StorageError) -> ExportedResource {
        if let resource = resources[row] { return resource }
        try findResource.bind(1, row)
        defer { findResource.reset() }
        guard try findResource.step() else {
            throw .damaged(path: path, found: "a batch has a resource that is not there")
        }
        let resource = ExportedResource(
            number: resourceCount, members: ResourceMember.all(in: findResource))
        resources[row] = resource
        resourceCount += 1
        size += resource.members.reduce(0) { $0 + $1.value.bytes.count }
        return resource
    }

    /// An event's name as a JSON string, by its row. Throws what the database throws, and `damaged`
    /// where there is none.
    mutating func name(_ row: Int64) throws(StorageError) -> [UInt8] {
        if let lastName, lastName.row == row { return lastName.text }
        let text = try Self.text(
            row, &names, findName, orDamaged: path, "an event has a name that is not there")
        lastName = (row, text)
        return text
    }

    /// An attribute's key as a JSON string, by its row. Throws what the database throws, and
    /// `damaged` where there is none.
    mutating func key(_ row: Int64) throws(StorageError) -> [UInt8] {
        try Self.text(row, &keys, findKey, orDamaged: path, "a batch has a key that is not there")
    }

    private static func text(
        _ row: Int64, _ known: inout [Int64: [UInt8]], _ find: borrowing Statement,
        orDamaged path: String, _ damage: String
    ) throws(StorageError) -> [UInt8] {
        if let text = known[row] { return text }
        try find.bind(1, row)
        defer { find.reset() }
        guard try find.step() else { throw .damaged(path: path, found: damage) }
        let text = ByteText(bytes: find.blob(0)).json
        if known.count == maxTexts { known.removeAll(keepingCapacity: true) }
        known[row] = text
        return text
    }
}
