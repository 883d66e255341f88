import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("verify finds what is not what was written (docs/operation.md, Verify)")
struct VerificationTests {
    @Test("good data is good, with everything in it counted")
    func good() throws {
        let store = try VerifiedStore()
        let outcome = try store.verify()
        #expect(outcome.findings == [])
        #expect(outcome.batches == 60)
        #expect(outcome.devices == 7)
        let connection = try Connection(path: store.database, mode: .read)
        #expect(try connection.integer("SELECT count(*) FROM event") == Int64(outcome.events))
        for table in CheckedTable.allCases {
            let rows = try connection.integer("SELECT count(*) FROM \"\(table.rawValue)\"") ?? 0
            #expect(rows > 0, "\(table)")
        }
    }

    /// Every column of every table but `id`s that are counted on, and what it is changed to.
    static let changes: [(table: String, change: String)] = [
        "meta": ["value = zeroblob(32)"],
        "app": [
            "name = 'shop2'", "title = 'x'", "time_zone = 'Europe/Paris'",
            "session_timeout_ms = 1", "allow_plain = 1", "created_at = created_at + 1",
        ],
        "key": [
            "name = name || 'x'", "app = 2", "profile = 'legacy'", "alg = 'x'",
            "wrapped = zeroblob(60)", "created_at = 1", "revoked_at = 1",
        ],
        "key_use": ["batches = batches + 1", "last_used = last_used + 1"],
        "token": [
            "name = name || 'x'", "hash = randomblob(32)", "scope = 'ingest'", "app = 2",
            "created_at = 1", "revoked_at = 1",
        ],
        "device": [
            "app = 2", "hash = randomblob(16)", "shared = 1 - shared",
            "first_time = first_time + 1", "first_batch_id = first_batch_id || 'x'",
            "first_index = first_index + 1", "first_resource = first_resource % 3 + 1",
        ],
        "resource": ResourceTable.resourceColumns.map { "\($0) = \($0) || 'x'" },
        "name": ["text = text || 'x'"],
        "app_name": ["app = 2", "name = name + 1000"],
        "app_attribute_key": ["app = 2", "attribute_key = 1000"],
        "attribute_key": ["text = text || 'x'"],
        "batch": [
            "app = 2", "device = device % 7 + 1", "resource = resource % 3 + 1",
            "batch_id = batch_id || 'x'", "received_at = received_at + 1",
            "clock_shift = 1", "profile = 2", "key = iif(key IS NULL, 1, NULL)",
            "sequence = iif(sequence IS NULL, 0, NULL)", "dropped_events = 1",
            "body_bytes = body_bytes + 1", "accepted = accepted + 1",
            "rejected = rejected + 1", "first_time = first_time - 1",
            "last_time = last_time + 1", "sessions = '[\"s-2\"]'",
            "attribute_keys = '[2]'", "attribute_keys = '[1,1]'",
            "attribute_keys = '[]'", "attribute_keys = NULL", "pruned = 1",
            "checksum = checksum + 1",
        ],
        "segment": [
            "app = 2", "day = day + 1", "events = events + 1",
            "parts = CAST(parts || x'00' AS BLOB)",
            "sessions = x''", "times = zeroblob(length(times))", "names = subjects",
            "subjects = names", "checksum = 0",
        ],
        "segmented": ["last_batch = last_batch - 1", "app = 2"],
        "segment_attributes": [
            "of = of + 1", "columns = x''", "columns = zeroblob(length(columns))", "id = id + 1000",
        ],
        "event": [
            "name = name % 4 + 1", "late = late + 1", "session = NULL", "session = 1",
            "attributes = NULL", "attributes = attributes || ' '", "id = id + 4096",
        ],
        "rejection": ["app = 2", "code = 'x'", "events = events + 1", "first_index = 1"],
        "repeat": [
            "app = 2", "quarter = quarter + 1", "batch = 3", "times = times + 1", "body_bytes = 1",
        ],
        "repeat_key": [
            "device = device % 7 + 1", "digest = digest + 1", "batch = batch + 1",
            "batch = batch + 100", "first_time = 1", "last_time = 1",
            "first_time = iif(first_time IS NULL, 1, first_time - 1)",
            "last_time = iif(last_time IS NULL, NULL, last_time - 1), digest = digest + iif(last_time IS NULL, 1, 0)",
        ],
        "fingerprint": [
            "list = substr(list, 9)", "list = zeroblob(length(list))", "batch = batch + 1",
        ],
        "refusal": ["app = 2", "quarter = 1", "code = 'x'", "batches = batches + 1"],
        "schema_migration": ["name = 'x'", "applied_at = applied_at + 1"],
    ].sorted { $0.key < $1.key }.flatMap { table in table.value.map { (table.key, $0) } }

    @Test("a changed value", .tags(.long), arguments: changes.map { "\($0.table): \($0.change)" })
    func changed(_ what: String) throws {
        let (table, change) = try #require(
            Self.changes.first { "\($0.table): \($0.change)" == what })
        let store = try VerifiedStore(batches: 25)
        // A row in the middle, and one of which every value is there.
        let row = "(SELECT \(Self.key(table)) FROM \"\(table)\" \(Self.order(table)) LIMIT 1)"
        try store.change("UPDATE \"\(table)\" SET \(change) WHERE (\(Self.key(table))) = \(row)")
        try Self.expectDamage(store)
    }

    @Test(
        "a deleted row of which something else tells",
        arguments: [
            "app", "key", "key_use", "device", "resource", "name", "batch", "event", "rejection",
            "meta", "repeat_key", "schema_migration", "segment", "segmented", "app_name",
            "app_attribute_key", "fingerprint",
        ])
    func deleted(_ table: String) throws {
        let store = try VerifiedStore(batches: 25)
        let row = "(SELECT \(Self.key(table)) FROM \"\(table)\" \(Self.order(table)) LIMIT 1)"
        try store.change("DELETE FROM \"\(table)\" WHERE (\(Self.key(table))) = \(row)")
        try Self.expectDamage(store)
    }

    /// What our own fault could write: the checksum fits, the sum does not.
    @Test(
        "a value that does not follow from the events, under a checksum that fits",
        arguments: [
            ("device 3", "UPDATE device SET first_time = first_time + 1 WHERE id = 3"),
            ("device 3", "UPDATE device SET first_index = first_index + 1 WHERE id = 3"),
            ("key_use 1", "UPDATE key_use SET batches = batches + 1"),
            ("key_use 1", "UPDATE key_use SET last_used = last_used + 1"),
            ("batch 20", "UPDATE batch SET accepted = accepted + 1 WHERE id = 20"),
            ("batch 20", "UPDATE batch SET rejected = rejected + 1 WHERE id = 20"),
            ("batch 20", "UPDATE batch SET last_time = last_time + 1 WHERE id = 20"),
            ("segments of app 1, day 20412", "DELETE FROM segment WHERE id = 1"),
            (
                "attributes of segment 1",
                "UPDATE segment_attributes SET columns = x'00' WHERE id = 1"
            ),
        ])
    func derived(subject: String, change: String) throws {
        let store = try VerifiedStore(batches: 25)
        try store.change(
            change + ";" + CheckedTable.device.refresh(where: "true") + ";"
                + CheckedTable.keyUse.refresh(where: "true") + ";"
                + CheckedTable.segment.refresh(where: "true") + ";"
                + CheckedTable.segmentAttributes.refresh(where: "true"))
        let actual = try StoredContent(Connection(path: store.database, mode: .read)).read(20)?
            .actual
        try store.change("UPDATE batch SET checksum = \(actual ?? 0) WHERE id = 20")
        #expect(try store.verify().findings.map(\.subject) == [subject])
    }

    @Test(
        "a key too many, before the reach and behind it, and one that two batches changed",
        arguments: [
            "INSERT INTO repeat_key SELECT device, digest + 1, batch, NULL, NULL FROM repeat_key LIMIT 1",
            "INSERT INTO repeat_key SELECT device, digest, 24, NULL, NULL FROM repeat_key LIMIT 1",
            "INSERT INTO repeat_key SELECT device, digest, 99, NULL, NULL FROM repeat_key LIMIT 1",
            """
            UPDATE repeat_key SET batch = 14 - batch
            WHERE batch IN (6, 8)
            """,
        ])
    func keys(change: String) throws {
        let store = try VerifiedStore(batches: 25)
        let reader = try Connection(path: store.database, mode: .read)
        #expect(try reader.rows("SELECT batch FROM repeat_keys_to") == ["16"])
        try store.change(change)
        #expect(try store.verify().findings.map(\.subject) == ["table repeat_key"])
    }

    @Test("events of two batches that changed places")
    func swapped() throws {
        let store = try VerifiedStore(batches: 25)
        try store.change(
            """
            UPDATE event SET id = id + (1 << 30) WHERE id >> 13 = 8;
            UPDATE event SET id = id + (1 << 13) WHERE id >> 13 = 7;
            UPDATE event SET id = id - (1 << 30) - (1 << 13) WHERE id >> 13 = 8 + (1 << 17)
            """)
        let outcome = try store.verify()
        #expect(outcome.findings.contains { $0.subject == "batch 7" })
        #expect(outcome.findings.contains { $0.subject == "batch 8" })
    }

    @Test("damage everywhere is told in a hundred lines and a count")
    func bounded() throws {
        let store = try VerifiedStore(batches: 150)
        try store.change("UPDATE event SET late = late - 1")
        let outcome = try store.verify()
        #expect(outcome.findings.count == 100)
        #expect(outcome.leftOut >= 48)
        for finding in outcome.findings { #expect(!finding.description.contains("\n")) }
    }

    @Test("a line of erased that is no receipt")
    func receipts() throws {
        let store = try VerifiedStore(batches: 5)
        let good = String(repeating: "0a", count: 32) + " 1763640000000\n"
        try Data(good.utf8).write(to: URL(filePath: store.folder.data.erased))
        #expect(try store.verify().isGood)
        try Data((good + "0A nonsense\n" + good).utf8)
            .write(to: URL(filePath: store.folder.data.erased))
        #expect(
            try store.verify().findings.map(\.subject)
                == ["line 2 of \(store.folder.data.erased)"])
        try Data((good + "\n" + good + "\n").utf8)
            .write(to: URL(filePath: store.folder.data.erased))
        #expect(try store.verify().isGood)
    }

    @Test("an empty line of erased holds up no start and no erasure, another line is named")
    func linesOfErased() throws {
        let folder = TemporaryFolder()
        let good = String(repeating: "0a", count: 32) + " 1763640000000\n"
        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: folder.data.erased))
        }
        try Store.open(folder.options).close()
        try write("\n" + good + "\n\n")
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop")
        #expect(store.writer.storeAlone(Batches.make("b", device: 1)) == .stored)
        #expect(try store.erase(Batches.device(1), of: app)?.batches == 1)
        try store.close()
        #expect(try ErasureReceipts.read(folder.data.erased).receipts.count == 2)
        // Behind what has been carried out, which is not read again.
        let text = String(decoding: try contents(of: folder.data.erased), as: UTF8.self)
        try write(text + "\nnonsense\n" + good)
        let error = failure { _ = try Store.open(folder.options) }
        #expect(error?.kind == .badData)
        #expect(
            error?.description.hasPrefix("line 7 of \(folder.data.erased) is no receipt") == true)
    }

    @Test("beside a writer everything is good at any moment")
    func beside() throws {
        let folder = TemporaryFolder()
        var options = folder.options
        // The log begins anew every now and then, and pages leave the cache before their transaction ends.
        options.limits.framesPerCheckpoint = 24
        options.limits.cacheBytes = 64 << 10
        let store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        let hold = Answers(400)
        for number in 0..<400 {
            hold.group.enter()
            let batch = Batches.make(
                "b-\(number % 350)", device: number % 350 % 9,
                times: [Batches.noon - Int64(number), Batches.noon])
            _ = store.writer.submit(batch) { hold.set(number, $0) }
            if number % 40 == 0 {
                let outcome = try Verification(folder.data).run()
                #expect(outcome.findings == [])
            }
        }
        _ = hold.wait()
        let outcome = try Verification(folder.data).run()
        #expect(outcome.findings == [])
        #expect(outcome.batches == 350)
    }

    private static func key(_ table: String) -> String {
        switch table {
        case "meta": "name"
        case "key_use": "key"
        case "segmented": "app"
        case "rejection": "app, batch, code"
        case "repeat": "app, quarter, batch"
        case "repeat_key": "device, digest, batch"
        case "fingerprint": "batch"
        case "app_name": "app, name"
        case "app_attribute_key": "app, attribute_key"
        case "refusal": "app, quarter, code"
        case "schema_migration": "version"
        default: "id"
        }
    }

    private static func order(_ table: String) -> String {
        switch table {
        case "event": "WHERE id >> 13 = 20 ORDER BY id"
        case "batch": "WHERE id = 20"
        case "device": "WHERE id = 3"
        default: "ORDER BY 1"
        }
    }

    /// Found by `verify`, or already by what opens the database.
    private static func expectDamage(_ store: VerifiedStore) throws {
        do {
            let outcome = try store.verify()
            #expect(!outcome.isGood)
        } catch let error as StorageError {
            #expect(error.kind == .badData || error.kind == .configuration, "\(error)")
        }
    }
}
