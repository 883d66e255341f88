import Database

/// Compares a database's schema with that the migrations make, so that damage in it is found at the start and not by
/// the first batch, and nothing acts on what is stored but this program.
package struct SchemaCheck {
    private let migrator: Migrator
    private let isCopy: Bool

    /// - Parameter isCopy: whether it is a copy that nobody can change, since its checksum is known
    init(migrator: Migrator, isCopy: Bool = false) {
        self.migrator = migrator
        self.isCopy = isCopy
    }

    /// Of a database in use, whose schema is of a version.
    package init(version: Int64) { self.init(migrator: Migrator().upTo(version)) }

    /// How the text begins of what an operator may have added, as SQLite stores it: the text is what SQLite carries
    /// out, whatever the row calls it.
    private static let allowed = [
        "CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE VIRTUAL TABLE ",
    ]

    /// What helps where a copy is not as it was made.
    static let whereItWasMade = "in the database that it is a copy of, and make another backup"

    private var foreign: String {
        "is not sojourn's (drop it "
            + (isCopy ? Self.whereItWasMade : "if it has changed nothing") + ")"
    }

    /// Tables and indexes that an operator has added, and SQLite's own, may be there; nothing of ours may differ, and
    /// no trigger or view be another's: a trigger would change what is stored, by our own hand.
    /// - Throws: `damaged`.
    package func run(on connection: Connection) throws(StorageError) {
        let model = try Connection(path: ":memory:", mode: .memory)
        try migrator.migrate(model, .ofNothing, now: 0)
        let wanted = try Dictionary(uniqueKeysWithValues: objects(of: model))
        var left = Set(wanted.keys)
        for (name, object) in try objects(of: connection) {
            left.remove(name)
            if wanted[name] == object { continue }
            guard wanted[name] == nil else { throw damaged(connection, name, "is not what it was") }
            guard object.sql.isEmpty || Self.allowed.contains(where: { object.sql.hasPrefix($0) })
            else { throw damaged(connection, name, foreign) }
        }
        if let name = left.min() { throw damaged(connection, name, "is missing") }
    }

    private func damaged(
        _ connection: Connection, _ name: String, _ how: String
    ) -> StorageError {
        .damaged(path: connection.path, found: "its \(name.prefix(200)) \(how)")
    }

    /// What stands in a schema, but for where it lies in the file.
    private struct Object: Equatable {
        /// SQLite's types of what names it and of its text.
        let types: String
        /// The text that made it; none made the index of a UNIQUE.
        let sql: String
    }

    /// Every row, by kind, name and, where that is another name, table: `trigger t on token`, `view v`.
    private func objects(
        of connection: Connection
    ) throws(StorageError) -> [(String, Object)] {
        let rows = try connection.prepare(
            """
            SELECT type || ' ' || name || CASE tbl_name WHEN name THEN '' ELSE ' on ' || tbl_name END,
                typeof(type) || typeof(name) || typeof(tbl_name) || typeof(sql), coalesce(sql, '')
            FROM sqlite_schema
            """)
        var objects: [(String, Object)] = []
        while try rows.step() {
            objects.append((rows.text(0), Object(types: rows.text(1), sql: rows.text(2))))
        }
        return objects
    }
}
