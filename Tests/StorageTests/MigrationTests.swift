import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("migrations")
struct MigrationTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:", mode: .memory) }

    private func step(_ version: Int64, _ sql: String) -> Migration {
        Migration(version: version, name: "\(version).sql", sql: Array(sql.utf8))
    }

    @Test("the list is what the folder holds")
    func folder() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Migrations").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Migration.all.map(\.name) == names)
        for (place, migration) in Migration.all.enumerated() {
            #expect(migration.version == Int64(place + 1))
            #expect(migration.name.hasPrefix(String(format: "%04d_", migration.version)))
            #expect(
                try Array(Data(contentsOf: folder.appending(path: migration.name))) == migration.sql
            )
        }
    }

    @Test("steps run in order, once, and are recorded")
    func order() throws {
        let one = step(1, "CREATE TABLE a (x INTEGER) STRICT;")
        let two = step(2, "INSERT INTO a VALUES (7); CREATE TABLE b (x INTEGER) STRICT;")
        #expect(try Migrator(steps: [one]).migrate(connection, nil, now: 5) == 1)
        #expect(try Migrator(steps: [one, two]).migrate(connection, nil, now: 6) == 1)
        #expect(try Migrator(steps: [one, two]).migrate(connection, nil, now: 7) == 0)
        #expect(try connection.rows("SELECT x FROM a") == ["7"])
        #expect(
            try connection.rows("SELECT version, name, applied_at FROM schema_migration")
                == ["1|1.sql|5", "2|2.sql|6"])
    }

    @Test("a step that fails leaves nothing of itself")
    func failing() throws {
        let one = step(1, "CREATE TABLE a (x INTEGER) STRICT;")
        let bad = step(2, "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);")
        #expect(
            failure { try Migrator(steps: [one, bad]).migrate(connection, nil, now: 1) } != nil)
        #expect(try Migrator(steps: [one]).check(connection) == 1)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
    }

    @Test("a newer schema is refused with 78")
    func newer() throws {
        let steps = [step(1, "CREATE TABLE a (x);"), step(2, "CREATE TABLE b (x);")]
        try Migrator(steps: steps).migrate(connection, nil, now: 1)
        let error = failure { try Migrator(steps: [steps[0]]).migrate(connection, nil, now: 1) }
        #expect(error?.kind == .configuration)
        #expect(error?.description.contains("has schema 2, this program knows 1") == true)
    }

    @Test("a step whose text has changed is refused with 78")
    func changed() throws {
        try Migrator(steps: [step(1, "CREATE TABLE a (x);")]).migrate(connection, nil, now: 1)
        let error = failure {
            try Migrator(steps: [step(1, "CREATE TABLE a (y);")]).migrate(connection, nil, now: 1)
        }
        #expect(error?.kind == .configuration)
    }

    @Test("a database of something else is refused with 65")
    func foreign() throws {
        try connection.execute("CREATE TABLE photos (x)")
        #expect(failure { try Migrator().migrate(connection, nil, now: 1) }?.kind == .badData)
    }
}
