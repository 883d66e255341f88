import Events
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("steps of deletions, each of which others' batches wait for")
struct DeletionStepsTests {
    private let folder = TemporaryFolder()

    /// Steps of the writer, beside which something else happens.
    private final class Steps: StepRunner {
        private let store: Store
        private let before: (Int) -> Void
        /// What stood in the database after each step.
        private(set) var left: [Int64] = []
        private let counted: String

        init(
            _ store: Store, counting counted: String = "SELECT 0",
            before: @escaping (Int) -> Void = { _ in }
        ) {
            (self.store, self.counted, self.before) = (store, counted, before)
        }

        func step<T: Sendable>(
            keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
        ) throws(StorageError) -> (result: T, time: SliceTime) {
            before(left.count)
            let outcome = try store.writer.step(keeping: keeping, work)
            left.append(try store.reader().integer(counted) ?? 0)
            return outcome
        }
    }

    private func open() throws -> (Store, App) {
        let store = try Store.open(folder.options)
        return (store, try store.registry.addApp("shop"))
    }

    /// Takes device 3 apart.
    private func erase(_ store: Store, _ app: App, by steps: Steps) throws -> ErasedDevice {
        try finish(try #require(try store.detach(Batches.device(3), of: app)), store, by: steps)
    }

    @discardableResult
    private func finish(
        _ row: Int64, _ store: Store, by steps: Steps
    ) throws -> ErasedDevice {
        let reader = try store.reader()
        let run = Erasure(reader: reader, rebuilds: store.upkeep.rebuilds, steps: steps)
        return try run.finish(row, .candidates(of: row, reader))
    }

    /// Begins to erase what arrived of device 3 before a moment.
    private func split(_ store: Store, _ app: App, before moment: Int64) throws -> Int64 {
        let detached = try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try DeviceErasure(connection: connection).detach(
                    app: app.id, hash: Batches.device(3).bytes, before: moment)
            }
        }
        return try #require(detached)
    }

    private func expectSound(_ store: Store) throws {
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test(
        "a name that is used again while others go stays, however much comes before each step",
        .tags(.long))
    func namesUsedMeanwhile() throws {
        let (store, app) = try open()
        let names = (0..<700).map { "app.n\($0)" }
        for name in names {
            #expect(
                store.writer.storeAlone(Batches.make(name, device: 3, name: name)) == .stored)
        }
        // The second of them alone has the name: behind more rows than one step looks at.
        let times = (0..<5_000).map { Batches.noon + Int64($0) }
        let steps = Steps(store) { number in
            let more = Batches.make("m\(number)", device: 4, times: times)
            let used = Batches.make("u\(number)", device: 4, times: times, name: "app.n\(number)")
            _ = store.writer.storeTogether([more, used])
        }
        let erased = try erase(store, app, by: steps)
        let left = Set(try store.reader().rows("SELECT text FROM name"))
        #expect(erased.batches == 700 && erased.events == 700)
        let used = min(steps.left.count, names.count)
        #expect(left.isSuperset(of: names[..<used]) && left.isDisjoint(with: names[used...]))
        #expect(erased.names >= Int64(names.count - used))
        try expectSound(store)
    }

    @Test("a device's first completions go in several steps")
    func completions() throws {
        let (store, app) = try open()
        #expect(store.writer.storeAlone(Batches.make("b", device: 3)) == .stored)
        let columns = "(SELECT id FROM device), 'content-' || n, 0, 1 << 13"
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.execute(
                    """
                    WITH RECURSIVE numbers(n) AS (
                        SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 9000)
                    INSERT INTO completion (device, content, time, event, checksum)
                    SELECT \(columns), \(CheckedTable.completion.expression(columns)) FROM numbers
                    """)
            }
        }
        let steps = Steps(store, counting: "SELECT count(*) FROM completion")
        _ = try erase(store, app, by: steps)
        let gone = zip([9_000] + steps.left, steps.left).map { $0 - $1 }.filter { $0 > 0 }
        #expect(gone.reduce(0, +) == 9_000 && gone.count > 2)
        #expect(gone.allSatisfy { $0 <= SlicePace.bounds.upperBound })
        try expectSound(store)
    }

    @Test("a first completion that a prune keeps while its device is split goes with the rest")
    func pruneBesideSplit() throws {
        let (store, app) = try open()
        var old = Batches.make("old", device: 3, name: "content.complete")
        old.attributeKeys = ["content.id"]
        let moment = Batches.noon + 5_000
        var later = Batches.make("later", device: 3, times: [Batches.noon + 9])
        later.receivedAt = moment
        later.sessionsJSON = Array(#"["s-later"]"#.utf8)
        #expect(store.writer.storeTogether([old, later]) == [.stored, .stored])
        let row = try split(store, app, before: moment)
        var pruned: Int64?
        // The first of them gives the batch away.
        let steps = Steps(store) { number in
            if number == 0 { pruned = try? store.prune(before: Batches.noon + 5).events }
        }
        try finish(row, store, by: steps)
        #expect(pruned == 1)
        #expect(try store.reader().rows("SELECT content FROM completion") == [])
        #expect(try store.reader().rows("SELECT batch_id FROM batch") == ["later"])
        try expectSound(store)
    }

    @Test("a record that comes again once a split has given its batch away is stored")
    func recordBesideSplit() throws {
        let (store, app) = try open()
        func record(_ id: String, time: Int64, receivedAt: Int64) -> AcceptedBatch {
            var batch = Batches.make(id, device: 3, times: [time])
            batch.receivedAt = receivedAt
            batch.profile = .otlp
            batch.sessionsJSON = nil
            batch.events[0].session = -1
            batch.fingerprints = [Fingerprint(UInt64(time))]
            return batch
        }
        let moment = Batches.noon + 5_000
        let old = record("otlp:old", time: Batches.noon, receivedAt: moment - 1)
        let later = record("otlp:later", time: Batches.noon + 9, receivedAt: moment)
        #expect(store.writer.storeTogether([old, later]) == [.stored, .stored])
        let row = try split(store, app, before: moment)
        var outcome: WriteOutcome?
        // The first of them gives the batch away.
        let steps = Steps(store) { number in
            guard number == 1 else { return }
            outcome = store.writer.storeAlone(
                record("otlp:again", time: Batches.noon, receivedAt: moment + 1))
        }
        try finish(row, store, by: steps)
        #expect(outcome == .stored)
        #expect(
            try store.reader().rows("SELECT batch_id FROM batch ORDER BY id")
                == ["otlp:later", "otlp:again"])
        try expectSound(store)
    }

    @Test(
        "a long batch is taken apart in pieces, by rows and by their texts", arguments: [1, 4_000])
    func longBatch(length: Int) throws {
        let (store, app) = try open()
        var batch = Batches.make(
            "b", device: 3, times: (0..<1_000).map { Batches.noon + Int64($0) })
        batch.text = []
        for index in batch.events.indices {
            let begin = UInt32(batch.text.count)
            batch.text += Array("0,\"\(String(repeating: "x", count: length))\"".utf8)
            batch.events[index].attributes = begin..<UInt32(batch.text.count)
        }
        #expect(store.writer.storeAlone(batch) == .stored)
        #expect(store.writer.storeAlone(Batches.make("other", device: 4)) == .stored)
        let steps = Steps(store, counting: "SELECT count(*) FROM event")
        let erased = try erase(store, app, by: steps)
        #expect(erased.batches == 1 && erased.events == 1_000)
        // A first slice has 256 rows, or as many of them as make 64 KiB.
        let first: Int64 = length == 1 ? 256 : 16
        #expect(steps.left.first == 1_001 - first)
        #expect(steps.left.last == 1)
        try expectSound(store)
    }
}
