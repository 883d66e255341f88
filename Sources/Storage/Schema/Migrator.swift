import CSQLite
import Database
import Sealing

/// Brings a database's schema up to date, forward only: each step in one transaction with the row that
/// records it.
package struct Migrator {
    /// In order of their versions.
    package let steps: [Migration]

    /// - Parameter steps: others than the program's only in tests.
    package init(steps: [Migration] = Migration.all) { self.steps = steps }

    /// The version this program needs.
    package var newest: Int64 { steps.last?.version ?? 0 }

    private static let table = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            version    INTEGER PRIMARY KEY,
            name       TEXT    NOT NULL,
            sha256     BLOB    NOT NULL,
            applied_at INTEGER NOT NULL,
            checksum   INTEGER NOT NULL
        ) STRICT
        """

    /// The version the database has; 0 for an empty one.
    /// - Parameter name: what errors call the database, where that is not its path
    /// - Throws: `damaged` if it is no database of ours, `newerSchema`, `changedMigration`.
    package func check(
        _ connection: Connection, called name: String? = nil
    ) throws(StorageError) -> Int64 {
        let path = name ?? connection.path
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        if tables == 0 { return 0 }
        let ours = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migration' AND type = 'table'")
        guard ours == 1 else {
            throw .damaged(path: path, found: "it is not a database of sojourn")
        }
        let rows = try connection.prepare(
            """
            SELECT version, sha256, \(CheckedTable.migrations.soundness)
            FROM schema_migration ORDER BY version
            """)
        var version: Int64 = 0
        while try rows.step() {
            let next = rows.int(0)
            guard next == version + 1 else {
                throw .damaged(
                    path: path, found: "its migration \(version + 1) is missing")
            }
            version = next
            guard let step = steps.first(where: { $0.version == version }) else { continue }
            guard rows.blob(1) == step.checksum else {
                guard rows.int(2) == 1 else {
                    throw .damaged(
                        path: path,
                        found: "its row of migration \(version) is not what was written")
                }
                throw .changedMigration(path: path, version: version)
            }
        }
        if version > newest {
            throw .newerSchema(path: path, version: version, known: newest)
        }
        return version
    }

    /// The steps up to a version.
    func upTo(_ version: Int64) -> Migrator {
        Migrator(steps: steps.filter { $0.version <= version })
    }

    /// Runs the steps that are missing.
    /// - Parameters:
    ///   - digest: for steps that need the master key; nil: the first of these and all after it stay
    ///     missing
    ///   - now: what is recorded as the moment, milliseconds since 1970.
    /// - Returns: how many ran.
    @discardableResult
    func migrate(
        _ connection: Connection, _ digest: RepeatDigest?, now: Int64
    ) throws(StorageError) -> Int {
        let version = try check(connection)
        let missing = steps.filter { $0.version > version }
            .prefix { digest != nil || !$0.needsKey }
        if let digest, missing.contains(where: \.needsKey) { try digest.register(on: connection) }
        for step in missing {
            try connection.transaction { () throws(StorageError) in
                try connection.execute(Self.table)
                try connection.execute(String(decoding: step.sql, as: UTF8.self))
                let row = try connection.prepare(
                    """
                    INSERT INTO schema_migration
                    VALUES (?1, ?2, ?3, ?4, \(CheckedTable.migrations.expression("?1, ?2, ?3, ?4")))
                    """)
                try row.bind(1, step.version)
                try row.bind(2, step.name)
                try row.bindBlob(3, step.checksum)
                try row.bind(4, now)
                try row.run()
            }
        }
        return missing.count
    }
}

/// One step of the schema: a file of `Migrations/`, embedded.
package struct Migration: Sendable {
    /// From 1, without holes.
    package let version: Int64
    /// The file's name.
    package let name: String
    /// The file's text, UTF-8.
    package let sql: [UInt8]
    /// Whether it calls `repeat_digest`, which the master key is needed for.
    package var needsKey = false

    /// SHA-256 of the file: a step that has run must never change.
    package var checksum: [UInt8] { Hashing.sha256(sql.span).bytes }

    /// All of them in order. Kept by hand; a test compares it with the folder.
    package static let all = [
        Migration(version: 1, name: "0001_initial.sql", sql: PackageResources._001_initial_sql),
        Migration(
            version: 2, name: "0002_batches_by_hour.sql",
            sql: PackageResources._002_batches_by_hour_sql),
        Migration(
            version: 3, name: "0003_keyed_repeats.sql",
            sql: PackageResources._003_keyed_repeats_sql, needsKey: true),
        Migration(
            version: 4, name: "0004_names_of_apps.sql",
            sql: PackageResources._004_names_of_apps_sql),
        Migration(version: 5, name: "0005_own_rows.sql", sql: PackageResources._005_own_rows_sql),
        Migration(version: 6, name: "0006_hand_over.sql", sql: PackageResources._006_hand_over_sql),
        Migration(version: 7, name: "0007_records.sql", sql: PackageResources._007_records_sql),
        Migration(
            version: 8, name: "0008_attributes_and_first_times.sql",
            sql: PackageResources._008_attributes_and_first_times_sql),
        Migration(version: 9, name: "0009_views.sql", sql: PackageResources._009_views_sql),
    ]
}
