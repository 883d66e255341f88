import Database
import Events

/// Rows of `resource`: texts to codes. What is not in memory is looked for, then made.
package final class ResourceTable {
    package static let resourceColumns = [
        "os_name", "os_version", "device_model", "device_manufacturer", "service_version",
        "app_build_id", "sdk_name", "sdk_version",
    ]
    static let resourceCapacity = 20_000

    private var resources = GenerationCache<Resource, HashedRow>(capacity: resourceCapacity)
    private let findResource: Statement
    private let insertResource: Statement

    init(_ connection: Connection) throws(StorageError) {
        let columns = Self.resourceColumns
        findResource = try connection.prepare(
            "SELECT id FROM resource WHERE "
                + columns.map { "\($0) = ?" }.joined(separator: " AND "))
        insertResource = try connection.prepare(
            "INSERT INTO resource (\(columns.joined(separator: ", "))) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id")
    }

    package func code(of resource: Resource) throws(StorageError) -> HashedRow {
        if let coded = resources.value(resource) { return coded }
        let texts = resource.texts
        var code = try Self.code(findResource, texts)
        if code == nil { code = try Self.code(insertResource, texts) }
        guard let code else { throw .unstorable(rule: "a new resource has no row") }
        let coded = HashedRow(code: code, hash: BatchDigest.hash(resource))
        resources.put(resource, coded)
        return coded
    }

    private static func code(
        _ statement: borrowing Statement, _ texts: [String]
    ) throws(StorageError) -> Int64? {
        for (index, text) in texts.enumerated() { try statement.bind(Int32(index + 1), text) }
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }

    func forget() { resources.removeAll() }
}
