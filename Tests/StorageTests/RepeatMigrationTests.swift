import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

/// Step 3 of the schema makes `repeat_key` anew, in one transaction.
@Suite("digests get a key in a database that is there")
struct RepeatMigrationTests {
    private let folder = TemporaryFolder()

    /// A batch of which a repeat has to be recognised, with what was answered first.
    private struct Known {
        let app: Int64
        let device: DeviceHash
        let id: String
        let answer: WriteOutcome
    }

    /// The batches of the fixture, and 300 of no events with ids that are equal under the hash of then;
    /// most stand in `repeat_key` with digests of then.
    private func make() throws {
        try EarlierVersion.make(2, in: folder) { connection in
            let insert = try connection.prepare(
                """
                INSERT INTO batch (app, device, resource, batch_id, received_at, clock_shift, profile,
                    dropped_events, body_bytes, accepted, rejected)
                VALUES (1, ?1, 1, ?2, 1795308036000, 0, 3, 0, 10, 0, 0)
                """)
            for (number, id) in CollidingIDs.all.prefix(300).enumerated() {
                try insert.bind(1, Int64(1 + number % 3))
                try insert.bind(2, id)
                try insert.run()
            }
            let rows = try connection.prepare("SELECT id, device, batch_id FROM batch ORDER BY id")
            let key = try connection.prepare("INSERT INTO repeat_key VALUES (?1, ?2, ?3)")
            var reach: Int64 = 0
            while try rows.step() {
                // The newest are read back at the start.
                if rows.int(0) > 300 { continue }
                reach = rows.int(0)
                try key.bind(1, rows.int(1))
                try key.bind(2, CollidingIDs.unkeyedDigest(of: rows.text(2)))
                try key.bind(3, reach)
                try key.run()
            }
            try connection.setFact(RepeatKey.reach, reach)
            try Self.addChecksums(connection)
        }
    }

    /// Of the batches behind the fixture's, as a copy of the newest schema has them.
    private static func addChecksums(_ connection: Connection) throws {
        let folder = TemporaryFolder()
        try folder.data.create()
        try connection.execute("VACUUM INTO '\(folder.data.database)'")
        let copy = try Connection(path: folder.data.database, mode: .write)
        try Migrator().migrate(copy, RepeatDigest(EarlierVersion.key), now: 1_763_000_000_000)
        let checksum = try BatchChecksum(copy)
        let numbers = try copy.integers("SELECT id FROM batch WHERE id > 19")
        for number in numbers { try checksum.refresh(batch: number) }
        let row = try connection.prepare("UPDATE batch SET checksum = ?1 WHERE id = ?2")
        for number in numbers {
            try row.bind(
                1, try copy.integer("SELECT checksum FROM batch WHERE id = \(number)") ?? 0)
            try row.bind(2, number)
            try row.run()
        }
    }

    private func known() throws -> [Known] {
        let connection = try Connection(path: folder.data.database, mode: .read)
        let rows = try connection.prepare(
            """
            SELECT b.app, d.hash, b.batch_id, b.accepted, b.rejected
            FROM batch AS b JOIN device AS d ON d.id = b.device
            """)
        var known: [Known] = []
        while try rows.step() {
            let device = try #require(DeviceHash(rows.blob(1)))
            let answer = WriteOutcome.duplicate(
                accepted: Int(rows.int(3)), rejected: Int(rows.int(4)))
            known.append(
                Known(app: rows.int(0), device: device, id: rows.text(2), answer: answer))
        }
        return known
    }

    /// What of these a store takes for new, or answers otherwise than at first.
    private func unknown(_ all: [Known], in folder: TemporaryFolder) throws -> [String] {
        let store = try Store.open(folder.options)
        let batches = all.map { known in
            var batch = Batches.make(known.id, app: known.app)
            batch.device = known.device
            return batch
        }
        let answers = store.writer.storeTogether(batches)
        try store.close()
        return zip(all, answers).filter { $0.answer != $1 }.map(\.0.id)
    }

    @Test("each repeat is recognised after it, and the table is what its batches make it")
    func migrates() throws {
        try make()
        let all = try known()
        #expect(all.count == 319)
        #expect(try unknown(all, in: folder) == [])
        #expect(try Verification(folder.data).run().findings == [])
        let digests = try Connection(path: folder.data.database, mode: .read)
            .rows("SELECT digest FROM repeat_key")
        #expect(digests.count >= 300 && Set(digests).count == digests.count)
    }

    @Test(
        "and after a kill or a power cut at any of its operations, with the next start",
        .tags(.long),
        arguments: [Survival.all, .drop, .torn])
    func cut(_ survival: Survival) throws {
        try make()
        let all = try known()
        let disk = FaultDisk(folder.data.path)
        try Store.open(folder.options).close()
        let key = try Array(contents(of: folder.data.masterKey))
        var model = DiskModel()
        var random = SplitMix(seed: 3)
        var last: DiskModel.Image = [:]
        var versions: Set<String> = []
        for record in disk.tape() {
            model.apply(record)
            let image = model.image(survival, using: &random)
            if image == last || image["sojourn.db"] == nil { continue }
            last = image
            let after = TemporaryFolder()
            try DiskModel.write(
                image.merging(["master.key": key]) { old, _ in old }, to: after.data.path)
            versions.formUnion(
                try Connection(path: after.data.database, mode: .read)
                    .rows("SELECT max(version) FROM schema_migration"))
            try #require(try unknown(all, in: after) == [])
            try #require(try Verification(after.data).run().findings == [])
        }
        #expect(versions.isSuperset(of: ["2", "3"]))
    }

    @Test("a disk that is full midway leaves it as it was, and the next start brings it up to date")
    func full() throws {
        try make()
        let all = try known()
        let disk = FaultDisk(folder.data.path)
        for first in 1...3 {
            disk.fail(.enospc, .writes, first: first)
            #expect(failure { _ = try Store.open(folder.options) }?.kind == .storageFull)
            #expect(disk.failed > 0)
            disk.count()
            // The commit is one of these.
            if first > 1 { continue }
            let connection = try Connection(path: folder.data.database, mode: .read)
            #expect(try connection.rows("SELECT max(version) FROM schema_migration") == ["2"])
            #expect(try connection.rows("SELECT count(*) FROM repeat_key") == ["300"])
        }
        #expect(try unknown(all, in: folder) == [])
    }

    @Test("without the master key the schema stays as it is, and so does all else: 78")
    func withoutKey() throws {
        try make()
        try FileManager.default.removeItem(atPath: folder.data.masterKey)
        let before = try contents(of: folder.data.database)
        let refusal = try #require(failure { _ = try Store.open(folder.options) })
        #expect(refusal.kind == .configuration)
        #expect(refusal.description.contains(folder.data.masterKey))
        #expect(try contents(of: folder.data.database) == before)
    }

    @Test(
        "a copy of then that is restored without the key is brought up to date by the first start")
    func restored() throws {
        try make()
        let all = try known()
        let shop = try #require(all.first)
        let backup = folder.path + "/backup"
        try copy(to: backup)
        let key = try contents(of: folder.data.masterKey)
        let target = TemporaryFolder()
        try target.data.create()
        // The device was erased after the copy was made.
        let receipt = ErasureReceipt(
            subject: ErasureReceipt.subject(app: "shop", device: shop.device.bytes),
            moment: 1_900_000_000_000)
        try ErasureReceipts.write([receipt], to: target.data.erased)
        let outcome = try Restore(from: backup, to: target.options).run()
        #expect(outcome.missingKey == target.data.masterKey && outcome.erased == nil)
        #expect(try target.names().contains { $0.hasSuffix("-wal") } == false)
        let connection = try Connection(path: target.data.database, mode: .read)
        #expect(try connection.rows("SELECT max(version) FROM schema_migration") == ["2"])
        try key.write(to: URL(filePath: target.data.masterKey))
        let gone = Set(all.filter { $0.device == shop.device }.map(\.id))
        #expect(!gone.isEmpty && gone.count < all.count)
        #expect(Set(try unknown(all, in: target)) == gone)
        #expect(try Verification(target.data).run().findings == [])
    }

    /// A folder as `sojourn backup` of that version made it, without the key.
    private func copy(to backup: String) throws {
        try FileSystem.makeDirectory(backup)
        try FileManager.default.copyItem(
            atPath: folder.data.database, toPath: backup + "/sojourn.db")
        _ = try FileSystem.create(backup + "/erased")
        var manifest = BackupManifest(
            createdAt: 7, program: "1", schema: 2, batches: 319, events: 0, devices: 3)
        for file in [BackupManifest.File.database, .erased] {
            manifest.files[file] = try FileDigest.read(backup + "/" + file.rawValue)
        }
        try Data(manifest.text.utf8).write(to: URL(filePath: backup + "/manifest.json"))
    }
}
