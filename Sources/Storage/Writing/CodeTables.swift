import Events

/// Rows of `resource` and `name`: texts to codes. What is not in memory is looked for, then made.
final class CodeTables {
    static let resourceCapacity = 20_000
    static let nameCapacity = 20_000

    private var resources = GenerationCache<Resource, Int64>(capacity: resourceCapacity)
    private var names = GenerationCache<OctetText, Int64>(capacity: nameCapacity)
    private let findResource: Statement
    private let insertResource: Statement
    private let findName: Statement
    private let insertName: Statement

    init(_ connection: Connection) throws(StorageError) {
        let columns = [
            "os_name", "os_version", "device_model", "device_manufacturer", "service_version",
            "app_build_id", "sdk_name", "sdk_version",
        ]
        findResource = try connection.prepare(
            "SELECT id FROM resource WHERE "
                + columns.map { "\($0) = ?" }.joined(separator: " AND "))
        insertResource = try connection.prepare(
            "INSERT INTO resource (\(columns.joined(separator: ", "))) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id")
        findName = try connection.prepare("SELECT id FROM name WHERE text = ?")
        insertName = try connection.prepare("INSERT INTO name (text) VALUES (?) RETURNING id")
    }

    func code(of resource: Resource) throws(StorageError) -> Int64 {
        if let code = resources.value(resource) { return code }
        let texts = resource.texts
        var code = try Self.code(findResource, texts)
        if code == nil { code = try Self.code(insertResource, texts) }
        guard let code else { throw .unstorable(rule: "a new resource has no row") }
        resources.put(resource, code)
        return code
    }

    func code(ofName name: String) throws(StorageError) -> Int64 {
        let key = OctetText(name)
        if let code = names.value(key) { return code }
        var code = try Self.code(findName, [name])
        if code == nil { code = try Self.code(insertName, [name]) }
        guard let code else { throw .unstorable(rule: "a new name has no row") }
        names.put(key, code)
        return code
    }

    private static func code(
        _ statement: borrowing Statement, _ texts: [String]
    ) throws(StorageError) -> Int64? {
        for (place, text) in texts.enumerated() { try statement.bind(Int32(place + 1), text) }
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }

    func forget() {
        resources.removeAll()
        names.removeAll()
    }
}
