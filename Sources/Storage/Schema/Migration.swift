import Sealing

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
    ]
}
