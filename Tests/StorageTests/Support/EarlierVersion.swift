import Foundation
import StoreTestSupport

@testable import Database
@testable import Storage

/// A data directory as the program of an earlier version left it. Its master key is the bytes 0 to 31.
enum EarlierVersion {
    static let key = MasterKey(bytes: Array(0..<32))

    /// - Parameter change: what happens to it besides
    static func make(
        _ version: Int64, in folder: TemporaryFolder,
        _ change: (Connection) throws -> Void = { _ in }
    ) throws {
        try folder.data.create()
        let file = try FileSystem.create(folder.data.masterKey)
        try file.write(Array(0..<32))
        _ = try FileSystem.create(folder.data.database)
        let connection = try Connection(path: folder.data.database, mode: .write)
        try connection.configureNewFile()
        try connection.execute("PRAGMA application_id=\(DatabaseFile.applicationID)")
        try Migrator().upTo(version).migrate(
            connection, RepeatDigest(key), now: 1_763_000_000_000)
        let name = String(format: "%04d.sql", version)
        let rows = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/\(name)").standardizedFileURL
        try connection.execute(String(contentsOf: rows, encoding: .utf8))
        try change(connection)
        try connection.checkpoint(.truncate)
    }
}
