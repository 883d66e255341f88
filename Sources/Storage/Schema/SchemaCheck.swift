import Database

/// Compares a database's tables and indexes with those the migrations make, so that damage in the
/// schema is found at the start and not by the first batch.
struct SchemaCheck {
    let migrator: Migrator

    /// What an operator has added, and SQLite's own tables, may be there; nothing of ours may differ.
    /// - Throws: `damaged`.
    func run(on connection: Connection) throws(StorageError) {
        let model = try Connection(path: ":memory:", mode: .memory)
        try migrator.migrate(model, .ofNothing, now: 0)
        let wanted = try objects(of: model)
        let found = try objects(of: connection)
        for (name, sql) in wanted.sorted(by: { $0.key < $1.key }) where found[name] != sql {
            let how = found[name] == nil ? "is missing" : "is not what it was"
            throw .damaged(path: connection.path, found: "its \(name) \(how)")
        }
    }

    /// Kind, name and table to types and the text that made it; none made the index of a UNIQUE.
    private func objects(of connection: Connection) throws(StorageError) -> [String: String] {
        let rows = try connection.prepare(
            """
            SELECT type || ' ' || name || ' on ' || tbl_name,
                typeof(type) || typeof(name) || typeof(tbl_name) || typeof(sql) || coalesce(sql, '')
            FROM sqlite_schema
            """)
        var objects: [String: String] = [:]
        while try rows.step() { objects[rows.text(0)] = rows.text(1) }
        return objects
    }
}
