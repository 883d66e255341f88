import Database
import Events
import JSON
import Storage

/// The common parts of the lines of batches, for the time of one page: events stand by time, so
/// that those of a batch come with others between them.
struct BatchTexts: ~Copyable {
    private let connection: Connection
    private let statement: Statement
    private var known: [Int64: BatchText] = [:]
    private var size = 0
    private let findKey: Statement
    private let findResource: Statement
    /// Resources as JSON objects, by row; they count in `size`.
    private var resources: [Int64: [UInt8]] = [:]
    /// Keys of attributes as JSON strings with colons behind, by row.
    private var keys: [Int64: [UInt8]] = [:]

    /// Octets of them at most, but for the last one; a batch may have as many as its body had.
    private static let limit = 4 << 20
    /// Keys of attributes at most.
    private static let keyLimit = 10_000

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        let statement = try reading.prepare(BatchText.select)
        let findKey = try reading.prepare("SELECT text FROM attribute_key WHERE id = ?1")
        let findResource = try reading.prepare(
            """
            SELECT os_name, os_version, device_model, device_manufacturer, service_version,
                app_build_id, sdk_name, sdk_version
            FROM resource WHERE id = ?1
            """)
        // All or none: a value that cannot be copied is never half there.
        connection = reading.connection
        self.statement = statement
        self.findKey = findKey
        self.findResource = findResource
    }

    /// Of the batch in a row; nothing where there is none. Throws what the database throws.
    mutating func text(of id: Int64) throws(StorageError) -> BatchText? {
        if let text = known[id] { return text }
        try statement.bind(1, id)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        guard let keys = statement.withText(4, { CodeList.parse($0) }) else {
            throw ExportPages.damage(connection, "a batch has keys that cannot be read")
        }
        if size > Self.limit {
            known.removeAll(keepingCapacity: true)
            resources.removeAll(keepingCapacity: true)
            size = 0
        }
        let resource = try resource(statement.int(5))
        guard let text = BatchText(statement, keys: keys, resource: resource) else {
            throw ExportPages.damage(connection, "a batch has texts that are no JSON array")
        }
        known[id] = text
        size += text.size
        return text
    }

    private mutating func resource(_ row: Int64) throws(StorageError) -> [UInt8] {
        if let text = resources[row] { return text }
        try findResource.bind(1, row)
        defer { findResource.reset() }
        guard try findResource.step() else {
            throw ExportPages.damage(connection, "a batch has a resource that is not there")
        }
        var writer = JSON.Writer()
        writer.beginObject()
        for (place, name) in Resource.members.enumerated() {
            let column = Int32(place)
            findResource.withText(column) { text in
                if text.isEmpty { return }
                writer.name(name)
                writer.string(text)
            }
        }
        writer.endObject()
        let text = writer.take()
        resources[row] = text
        size += text.count
        return text
    }

    /// An attribute's key as a JSON string with a colon behind. Throws what the database throws, and
    /// `damaged` where there is none.
    mutating func key(_ code: Int64) throws(StorageError) -> [UInt8] {
        if let key = keys[code] { return key }
        try findKey.bind(1, code)
        defer { findKey.reset() }
        guard try findKey.step() else {
            throw ExportPages.damage(connection, "a batch has a key that is not there")
        }
        let key = ByteText(bytes: findKey.blob(0)).json + [UInt8(ascii: ":")]
        if keys.count == Self.keyLimit { keys.removeAll(keepingCapacity: true) }
        keys[code] = key
        return key
    }
}
