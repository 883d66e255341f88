import Database
import Events
import Foundation
import SQLiteFiles
import Storage
import Upkeep

/// A data directory with rows in every table, closed, for tests that damage it.
package struct VerifiedStore {
    /// Where it is.
    package let folder = TemporaryFolder()

    /// A closed one.
    /// - Parameter batches: how many of some ten events each, of seven devices.
    package init(batches: Int = 60) throws {
        var options = folder.options
        options.limits.eventsPerSegment = 100
        let store = try Store.open(options)
        let app = try store.registry.addApp("shop").id
        _ = try store.registry.addToken(scope: .report, app: "shop")
        _ = try store.registry.addToken(scope: .admin, app: nil)
        let key = try store.registry.addKey(
            app: "shop", profile: .aes128gcm, algorithm: nil,
            secret: [UInt8](repeating: 7, count: 32))
        _ = try store.registry.addKey(
            app: "shop", profile: .jwe, algorithm: "ECDH-ES", secret: [1, 2, 3])
        for number in 0..<batches {
            _ = store.writer.storeAlone(Self.batch(number, app: app, key: key.id))
            if number % 7 == 0 {
                _ = store.writer.storeAlone(Self.batch(number, app: app, key: key.id))
            }
        }
        try store.writer.add([
            RefusalCount(app: app, quarter: 1_959_600, code: "undecodable", batches: 3)
        ])
        var refused: Set<AttributeBlocks.Missing> = []
        _ = try store.makeAttributeBlocks(
            on: store.reader(), leavingOut: &refused, while: { true })
        // As a prune would keep it.
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.execute(
                """
                INSERT INTO completion (device, content, time, event, checksum)
                SELECT device, 'c', first_time, id << 13,
                    \(CheckedTable.completion.expression("device, 'c', first_time, id << 13"))
                FROM batch WHERE first_time IS NOT NULL LIMIT 1
                """)
        }
        try store.close()
    }

    private static func batch(_ number: Int, app: Int64, key: Int64) -> AcceptedBatch {
        let begin = Batches.noon + Int64((number * 7919) % 4001) * 1000
        var batch = Batches.make(
            "batch-\(number)", app: app, device: number % 7,
            times: number == 5 ? [] : (0...(number % 20)).map { begin + Int64($0) * 250 },
            shared: number % 7 == 6, version: "1.\(number % 3)", name: "screen.view\(number % 4)")
        batch.key = number % 5 == 0 ? nil : key
        if number % 9 == 4 {
            (batch.profile, batch.key) = (.otlp, nil)
            batch.fingerprints = batch.events.indices.map {
                Fingerprint(UInt64(number) << 32 | UInt64($0))
            }
        }
        batch.sequence = number % 3 == 0 ? Int64(number) : nil
        if number % 6 == 0 {
            batch.rejected = 2
            batch.rejectionCounts = [
                RejectionCount(code: "invalid-name", count: 2, firstIndex: 30)
            ]
        }
        return batch
    }

    /// The path of its database.
    package var database: String { folder.data.database }

    /// What `verify` finds.
    package func verify() throws -> Verification.Outcome {
        try Verification(folder.data).run()
    }

    /// What a person with `sqlite3` could do to the file.
    package func change(_ sql: String) throws {
        do {
            let connection = try Connection(path: database, mode: .write)
            try connection.execute(sql)
            try connection.checkpoint(.truncate)
        }
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(database + suffix) }
    }
}

/// What a stranger could put into a database's schema.
package enum ForeignSchema {
    /// A token that is revoked counts on.
    package static let trigger = """
        CREATE TRIGGER back AFTER UPDATE OF revoked_at ON token BEGIN
            UPDATE token SET revoked_at = NULL WHERE id = NEW.id;
        END
        """
}
