import Columns
import Database
import Engine
import Events
import Storage

/// What rows of batches and events refer to by number: names, keys, apps, resources.
struct SpoolWords: ~Copyable {
    /// A name of events.
    struct EventName {
        let text: [UInt8]
        /// The attribute that is the subject of its events.
        let subject: StandardAttribute?
    }

    /// A key of attributes.
    struct Key {
        let text: [UInt8]
        /// If the protocol names it.
        let standard: StandardAttribute?
    }

    /// The most entries of each kind.
    private static let capacity = 8_192

    private let path: String
    private let findName: Statement
    private let findKey: Statement
    private let findApp: Statement
    private let findIngestKey: Statement
    private let findResource: Statement
    private var names: [Int64: EventName] = [:]
    private var keys: [Int64: Key] = [:]
    private var apps: [Int64: [UInt8]] = [:]
    private var ingestKeys: [Int64: [UInt8]] = [:]
    private var resources: [Int64: RowResource] = [:]

    init(_ connection: Connection) throws(StorageError) {
        let findName = try connection.prepare("SELECT text FROM name WHERE id = ?1")
        let findKey = try connection.prepare("SELECT text FROM attribute_key WHERE id = ?1")
        let findApp = try connection.prepare("SELECT name FROM app WHERE id = ?1")
        let findIngestKey = try connection.prepare("SELECT name FROM key WHERE id = ?1")
        let findResource = try connection.prepare(
            "SELECT \(RowResource.columns.joined(separator: ", ")) FROM resource WHERE id = ?1")
        // All or none: a value that cannot be copied is never half there.
        path = connection.path
        self.findName = findName
        self.findKey = findKey
        self.findApp = findApp
        self.findIngestKey = findIngestKey
        self.findResource = findResource
    }

    /// Forgets words that nobody may use any more: their rows may be deleted, and others have their numbers.
    /// At the beginning of each snapshot.
    mutating func forget() {
        names.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        resources.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    mutating func name(_ row: Int64) throws(StorageError) -> EventName {
        if let name = names[row] { return name }
        let text = try Self.text(findName, row, orDamaged: path, "an event has a name")
        let subject = SegmentName(row: row, text: String(decoding: text, as: UTF8.self)).key
        let name = EventName(text: text, subject: subject)
        Self.put(name, row, &names)
        return name
    }

    mutating func key(_ row: Int64) throws(StorageError) -> Key {
        if let key = keys[row] { return key }
        let text = try Self.text(findKey, row, orDamaged: path, "a batch has a key")
        let standard = StandardAttribute.allCases.first { Array($0.key.utf8) == text }
        let key = Key(text: text, standard: standard)
        Self.put(key, row, &keys)
        return key
    }

    mutating func app(_ row: Int64) throws(StorageError) -> [UInt8] {
        if let app = apps[row] { return app }
        let app = try Self.text(findApp, row, orDamaged: path, "a batch has an app")
        Self.put(app, row, &apps)
        return app
    }

    mutating func ingestKey(_ row: Int64) throws(StorageError) -> [UInt8] {
        if let key = ingestKeys[row] { return key }
        let key = try Self.text(findIngestKey, row, orDamaged: path, "a batch has an ingest key")
        Self.put(key, row, &ingestKeys)
        return key
    }

    mutating func resource(_ row: Int64) throws(StorageError) -> RowResource {
        if let resource = resources[row] { return resource }
        try findResource.bind(1, row)
        defer { findResource.reset() }
        guard try findResource.step() else {
            throw .damaged(path: path, found: "a batch has a resource that is not there")
        }
        var texts: [String: [UInt8]] = [:]
        for (index, column) in RowResource.columns.enumerated() {
            texts[column] = findResource.blob(Int32(index))
        }
        let resource = RowResource(texts)
        Self.put(resource, row, &resources)
        return resource
    }

    private static func text(
        _ find: borrowing Statement, _ row: Int64, orDamaged path: String, _ what: String
    ) throws(StorageError) -> [UInt8] {
        try find.bind(1, row)
        defer { find.reset() }
        guard try find.step() else {
            throw .damaged(path: path, found: "\(what) that is not there")
        }
        return find.blob(0)
    }

    private static func put<Value>(_ value: Value, _ row: Int64, _ cache: inout [Int64: Value]) {
        if cache.count >= capacity { cache.removeAll(keepingCapacity: true) }
        cache[row] = value
    }
}
