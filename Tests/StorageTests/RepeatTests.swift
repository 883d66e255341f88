import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("a batch that was stored is known for ever")
struct RepeatTests {
    let folder = TemporaryFolder()

    private func open() throws -> Store {
        let store = try Store.open(folder.options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    /// Every number has its own device, id and number of events.
    private func batch(_ number: Int) -> AcceptedBatch {
        Batches.make(
            "b-\(number)", device: number % 5,
            times: Array(repeating: Batches.noon, count: 1 + number % 3))
    }

    private func first(_ number: Int) -> WriteOutcome {
        .duplicate(accepted: 1 + number % 3, rejected: 0)
    }

    /// Breaks a rule of the schema: one code twice.
    private func bad(_ id: String) -> AcceptedBatch {
        var batch = Batches.make(id, device: 2)
        batch.rejectionCounts = Array(
            repeating: RejectionCount(code: "invalid-name", count: 1, firstIndex: 0), count: 2)
        return batch
    }

    private func verify() throws {
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("at every moment of its way from memory into the table, and across restarts")
    func everyState() throws {
        var store = try open()
        for number in 0..<70 {
            #expect(store.writer.storeAlone(batch(number)) == .stored)
            for old in 0...number {
                // Not all each time: a repeat moves keys as well.
                if old % 7 != number % 7, number < 69 { continue }
                #expect(store.writer.storeAlone(batch(old)) == first(old), "\(old) of \(number)")
            }
            if number % 6 == 0 { try verify() }
            if number % 11 == 0 {
                try store.close()
                store = try open()
            }
        }
        let reader = try store.reader()
        #expect(try reader.integer("SELECT count(*) FROM repeat_key") ?? 0 >= 56)
        #expect(try reader.integer("SELECT batch FROM repeat_keys_to") ?? 0 >= 56)
        try store.close()
    }

    @Test("within a group, beside batches that cannot be stored, and after groups that failed")
    func groups() throws {
        let store = try open()
        var known: Set<Int> = []
        var random = SplitMix(seed: 11)
        for round in 0..<60 {
            var group: [AcceptedBatch] = []
            var wanted: [WriteOutcome] = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                if random.oneIn(12) {
                    group.append(bad("bad"))
                    wanted.append(.failed(.internalError))
                    continue
                }
                let number = Int.random(in: 0..<(known.count + 12), using: &random)
                group.append(batch(number))
                wanted.append(known.insert(number).inserted ? .stored : first(number))
            }
            #expect(store.writer.storeTogether(group) == wanted)
            if round % 10 == 0 { try verify() }
        }
        #expect(
            try store.reader().integer("SELECT count(*) FROM batch") == Int64(known.count))
        try verify()
    }

    @Test("two ids with one digest are two batches")
    func sameDigest() throws {
        let store = try open()
        for number in 0..<40 { #expect(store.writer.storeAlone(batch(number)) == .stored) }
        let digest = RepeatDigest(store.masterKey).make(of: "b-100".utf8.span)
        try store.writer.perform { (connection) throws(StorageError) in
            // As if a new id had the digest of one that is in the table.
            _ = try connection.change(
                "UPDATE repeat_key SET digest = ? WHERE device = 1 AND batch = 1", digest)
        }
        #expect(store.writer.storeAlone(batch(100)) == .stored)
        #expect(store.writer.storeAlone(batch(100)) == first(100))
    }

    @Test("ids that were chosen to be equal under a hash without a key cost no more than others")
    func colliding() throws {
        var store = try open()
        let ids = Array(CollidingIDs.all.prefix(200))
        #expect(Set(ids).count == 200)
        #expect(Set(ids.map(CollidingIDs.unkeyedDigest)).count == 1)
        // What stands with the same digest is compared, one after the other.
        let digest = RepeatDigest(store.masterKey)
        #expect(Set(ids.map { digest.make(of: $0.utf8.span) }).count == 200)
        #expect(
            store.writer.storeTogether(ids.map { Batches.make($0) }) == ids.map { _ in .stored })
        for _ in 0..<2 {
            for id in ids {
                #expect(
                    store.writer.storeAlone(Batches.make(id))
                        == .duplicate(accepted: 1, rejected: 0))
            }
            try store.close()
            store = try open()
        }
        let digests = try store.reader().rows("SELECT digest FROM repeat_key")
        #expect(Set(digests).count == digests.count && digests.count >= 190)
        try verify()
    }

    @Test(
        "what an erasure took away is not known any more, wherever it was", .tags(.long),
        arguments: 0..<24)
    func erased(_ count: Int) throws {
        var store = try open()
        for number in 0..<(20 + count) {
            #expect(store.writer.storeAlone(batch(number)) == .stored)
        }
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        let erased = try store.erase(Batches.device(2), of: app)
        #expect(erased?.batches == Int64((0..<(20 + count)).count { $0 % 5 == 2 }))
        try verify()
        // The row of the device is gone, and its number is the next one's.
        for number in 0..<(40 + count) {
            let isKnown = number < 20 + count && number % 5 != 2
            #expect(store.writer.storeAlone(batch(number)) == (isKnown ? first(number) : .stored))
        }
        try verify()
        try store.close()
        store = try open()
        for number in 0..<(40 + count) {
            #expect(store.writer.storeAlone(batch(number)) == first(number))
        }
        try verify()
    }

    @Test("after all batches were erased, and their numbers with them")
    func allErased() throws {
        var store = try open()
        for number in 0..<60 where number % 5 == 2 {
            #expect(store.writer.storeAlone(batch(number)) == .stored)
        }
        #expect(try store.reader().rows("SELECT batch FROM repeat_keys_to") == ["8"])
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        #expect(try store.erase(Batches.device(2), of: app)?.batches == 12)
        for _ in 0..<4 {
            try store.close()
            store = try open()
            let outcome = store.writer.storeAlone(batch(1))
            #expect(outcome == .stored || outcome == first(1))
        }
        #expect(try store.reader().integer("SELECT count(*) FROM batch") == 1)
        try verify()
    }

    @Test("what was rolled back is in memory no longer")
    func rolledBack() throws {
        let store = try open()
        try store.writer.perform { (connection) throws(StorageError) in
            let index = try RepeatIndex(connection, .ofNothing, generation: 100, slice: 10)
            for number: Int64 in 1...3 {
                index.add(number)
                if number == 1 { index.committed() }
            }
            index.forget()
            try insert(1...3, connection)
            #expect(try index.find(1)?.accepted == 1)
            #expect(try index.find(2) == nil)
            #expect(try index.find(3) == nil)
        }
    }

    @Test("a batch that goes after it was read back is not entered")
    func goneSinceReadBack() throws {
        let store = try open()
        try store.writer.perform { (connection) throws(StorageError) in
            try insert(1...3, connection)
            let index = try RepeatIndex(connection, .ofNothing, generation: 4, slice: 1)
            // As an erasure does that a failed write has held up.
            try connection.execute("DELETE FROM batch WHERE id = 2")
            try insert(4...6, connection)
            for number: Int64 in 4...6 {
                index.add(number)
                index.committed()
            }
            for _ in 1...4 {
                try index.enterSome()
                index.committed()
            }
            let entered = try connection.integers("SELECT batch FROM repeat_key ORDER BY 1")
            #expect(entered == [1, 3, 4])
        }
    }

    /// Rows of batches of device 1 and no events.
    private func insert(
        _ numbers: ClosedRange<Int64>, _ connection: Connection
    ) throws(StorageError) {
        try connection.execute(
            """
            INSERT INTO batch (id, app, device, resource, batch_id, received_at, clock_shift,
                profile, dropped_events, body_bytes, accepted, rejected)
            SELECT value, 1, 1, 1, 'b-' || value, 0, 0, 3, 0, 0, value, 0
            FROM json_each('[\(numbers.map(String.init).joined(separator: ","))]')
            """)
    }

    @Test("a database that was filled without the table is read in at the start, whatever its size")
    func readBack() throws {
        var store = try open()
        for number in 0..<45 { #expect(store.writer.storeAlone(batch(number)) == .stored) }
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(
                "DELETE FROM repeat_key; DELETE FROM meta WHERE name = 'repeat_keys_to'")
        }
        try store.close()
        store = try open()
        #expect(try store.reader().integer("SELECT batch FROM repeat_keys_to") ?? 0 > 0)
        for number in 0..<45 { #expect(store.writer.storeAlone(batch(number)) == first(number)) }
        try verify()
    }

    @Test("views and prunes see the batches of a device wherever they are")
    func views() throws {
        let store = try open()
        for number in 0..<30 {
            #expect(store.writer.storeAlone(batch(number)) == .stored)
            let reader = try store.reader()
            try reader.execute("PRAGMA trusted_schema=ON")
            #expect(
                try reader.rows("SELECT device, batch FROM device_batch ORDER BY batch")
                    == reader.rows("SELECT device, id FROM batch ORDER BY id"))
            #expect(
                try reader.rows("SELECT batches FROM v_devices").compactMap(Int.init)
                    .reduce(0, +) == number + 1)
        }
    }
}

extension RepeatIndex {
    /// Takes a batch of device 1 that has its number in its id.
    fileprivate func add(_ number: Int64) {
        add(RepeatKey(device: 1, digest: digest(of: "b-\(number)"), batch: number))
    }

    fileprivate func find(_ number: Int64) throws(StorageError) -> Found? {
        let id = "b-\(number)"
        return try find(device: 1, batchID: id, digest: digest(of: id))
    }
}
