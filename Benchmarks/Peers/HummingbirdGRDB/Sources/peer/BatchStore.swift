import Foundation
import GRDB

/// Batches and events in SQLite.
struct BatchStore: Sendable {
    struct Outcome: Sendable {
        let isRepeat: Bool
        let accepted, rejected: Int
    }

    private static let insertBatch = """
        INSERT INTO batch (app, device, batch_id, received_at, sent_at, sequence, dropped_events,
            os_name, os_version, model, manufacturer, service_version, build_id, sdk_name,
            sdk_version, accepted, rejected)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (app, device, batch_id) DO NOTHING
        """
    private static let insertEvent =
        "INSERT INTO event (batch, name, time, session, attributes) VALUES (?, ?, ?, ?, ?)"

    private let pool: DatabasePool

    init(path: String) throws {
        pool = try DatabasePool(path: path)
        // A pool begins with NORMAL, which may lose the last commits at a power cut.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Self.migrator.migrate(pool)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("batches and events") { database in
            try database.execute(
                sql: """
                    CREATE TABLE batch (
                        id INTEGER PRIMARY KEY, app TEXT NOT NULL, device BLOB NOT NULL,
                        batch_id TEXT NOT NULL, received_at INTEGER NOT NULL, sent_at INTEGER,
                        sequence INTEGER, dropped_events INTEGER, os_name TEXT, os_version TEXT,
                        model TEXT, manufacturer TEXT, service_version TEXT, build_id TEXT,
                        sdk_name TEXT, sdk_version TEXT, accepted INTEGER NOT NULL,
                        rejected INTEGER NOT NULL, UNIQUE (app, device, batch_id)) STRICT;
                    CREATE TABLE event (
                        id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, name TEXT NOT NULL,
                        time INTEGER NOT NULL, session TEXT, attributes TEXT) STRICT;
                    """)
        }
        return migrator
    }

    /// Stores them in one transaction; they are on disk when this returns.
    func store(_ batches: [AcceptedBatch]) async throws -> [Outcome] {
        try await pool.write { database in
            try batches.map { try Self.store($0, in: database) }
        }
    }

    func close() throws {
        try pool.close()
    }

    private static func store(_ batch: AcceptedBatch, in database: Database) throws -> Outcome {
        var columns: [(any DatabaseValueConvertible)?] = [
            batch.app, batch.device, batch.batchID, batch.receivedAt, batch.sentAt, batch.sequence,
            batch.droppedEvents,
        ]
        columns += batch.resource
        columns += [batch.rows.count, batch.rejected]
        try database.cachedStatement(sql: insertBatch).execute(arguments: .init(columns))
        guard database.changesCount > 0 else { return try found(batch, in: database) }

        let id = database.lastInsertedRowID
        let insert = try database.cachedStatement(sql: insertEvent)
        for row in batch.rows {
            try insert.execute(arguments: [id, row.name, row.time, row.session, row.attributes])
        }
        return Outcome(isRepeat: false, accepted: batch.rows.count, rejected: batch.rejected)
    }

    /// What the first answer to a repeat said.
    private static func found(_ batch: AcceptedBatch, in database: Database) throws -> Outcome {
        let select = try database.cachedStatement(
            sql: """
                SELECT accepted, rejected FROM batch
                WHERE app = ? AND device = ? AND batch_id = ?
                """)
        let key: StatementArguments = [batch.app, batch.device, batch.batchID]
        guard let row = try Row.fetchOne(select, arguments: key) else {
            throw DatabaseError(message: "a batch is neither new nor there")
        }
        return Outcome(isRepeat: true, accepted: row[0], rejected: row[1])
    }
}
