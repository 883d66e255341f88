import Events
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("emptying the spool")
struct SpoolTests {
    let folder = TemporaryFolder()

    private func open(eventsPerSegment: Int = 65_536) throws -> Store {
        var options = folder.options
        options.limits.eventsPerSegment = eventsPerSegment
        // None goes in the quarter of an hour in which it came.
        options.now = { Batches.noon - 7_200_000 }
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    private func expectSound(_ comment: Comment? = nil) throws {
        let outcome = try Verification(folder.data).run()
        #expect(outcome.findings == [], comment)
    }

    private func ids(_ store: Store) throws -> [String] {
        try store.reader().rows("SELECT batch_id FROM batch ORDER BY id")
    }

    private func count(_ table: String, _ store: Store) throws -> Int64? {
        try store.reader().integer("SELECT count(*) FROM \(table)")
    }

    @Test("batches up to one go with all that hangs on them, and what is left is sound")
    func upToOne() throws {
        let store = try open()
        #expect(store.writer.storeTogether(Batches.crowd).contains(.stored))
        _ = store.writer.storeTogether(Batches.crowd)
        let all = try ids(store)
        let emptied = try store.dropHandedOver(upTo: 17)
        #expect(emptied.batches == 17 && emptied.events == 34 && emptied.isWhole)
        #expect(try ids(store) == Array(all[17...]))
        let reader = try store.reader()
        #expect(try reader.integer("SELECT min(id >> 13) FROM event") == 18)
        #expect(try reader.integer("SELECT min(batch) FROM rejection") ?? 0 > 17)
        #expect(try reader.integer("SELECT min(batch) FROM repeat") ?? 0 > 17)
        // Its first two devices have none left; the first events of a third are gone.
        #expect(try count("device", store) == 3)
        #expect(
            try reader.rows("SELECT text FROM name WHERE text LIKE 'app.mark1x'").isEmpty)
        try expectSound()
        let none = try store.dropHandedOver(upTo: 17)
        #expect(none == EmptiedSpool())
        try store.close()
        try expectSound("after the end")
    }

    @Test("a repeat of a batch that was dropped is stored as new, one of another is known")
    func repeats() throws {
        for isReopened in [false, true] {
            let folder = TemporaryFolder()
            var store = try Store.open(folder.options)
            _ = try store.registry.addApp("shop")
            let batches = (0..<40).map { Batches.make("b\($0)", device: $0 % 3) }
            _ = store.writer.storeTogether(batches)
            _ = try store.dropHandedOver(upTo: 20)
            if isReopened {
                try store.close()
                store = try Store.open(folder.options)
            }
            let outcomes = store.writer.storeTogether(batches)
            #expect(outcomes.prefix(20).allSatisfy { $0 == .stored })
            #expect(outcomes.suffix(20).allSatisfy { $0 == .duplicate(accepted: 1, rejected: 0) })
            let again = store.writer.storeTogether(batches)
            #expect(again.allSatisfy { $0 == .duplicate(accepted: 1, rejected: 0) })
            #expect(try Verification(folder.data).run().findings == [])
        }
    }

    @Test("a repeat that waits while its batch is dropped is stored whole")
    func waitingRepeat() throws {
        let store = try open()
        let batch = Batches.make("b")
        #expect(store.writer.storeAlone(batch) == .stored)
        let writing = try Connection(path: folder.data.database, mode: .write)
        let inserter = try BatchInserter(
            writing, RepeatDigest(store.masterKey), limits: folder.options.limits)
        let pending = PendingBatch(batch) { _ in }
        try inserter.prepare(pending, until: .max)
        #expect(inserter.isPrepared(pending))
        _ = try store.dropHandedOver(upTo: 1)
        inserter.forgetBatches(of: [.init(row: 1, app: 1, hash: batch.device)])
        #expect(!inserter.isPrepared(pending))
        let outcome = try writing.transaction { () throws(StorageError) in
            try inserter.beginGroup()
            return try inserter.store(pending)
        }
        #expect(outcome == .stored)
    }

    @Test("wherever it is stopped, what is left is sound, and the next one ends it")
    func stopped() throws {
        let store = try open(eventsPerSegment: 100)
        let batches = (0..<400).map { number in
            Batches.make(
                "b\(number)", device: number % 90,
                times: [Batches.noon + Int64(number) * 500_000, Batches.noon],
                name: "app.a\(number / 40)")
        }
        for start in stride(from: 0, to: 400, by: 40) {
            _ = store.writer.storeTogether(Array(batches[start..<start + 40]))
            _ = store.writer.storeTogether(Array(batches[start..<start + 5]))
        }
        var total = 0
        for allowed in 1..<40 {
            var asked = 0
            let emptied = try store.dropHandedOver(upTo: 350) {
                asked += 1
                return asked > allowed
            }
            total += emptied.batches
            try expectSound("stopped after \(allowed)")
            if emptied.isWhole { break }
        }
        #expect(total == 350)
        #expect(try ids(store).count == 50)
        #expect(try store.dropHandedOver(upTo: 350).isWhole)
        #expect(try store.reader().fact(Store.isEmptyingSpool) == 0)
        #expect(try count("name", store) == 2)
        try expectSound()
    }

    @Test("first completions go with the batches that had their events, each as a row of a slice")
    func completions() throws {
        let store = try open()
        let batches = (1...6).map { number in
            Batches.make("b\(number)", device: 1, times: [Batches.noon])
        }
        _ = store.writer.storeTogether(batches)
        let columns = "(SELECT id FROM device), 'content-' || n, 0, (1 + n % 6) << 13"
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.execute(
                    """
                    WITH RECURSIVE numbers(n) AS (
                        SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT 6000)
                    INSERT INTO completion (device, content, time, event, checksum)
                    SELECT \(columns), \(CheckedTable.completion.expression(columns)) FROM numbers
                    """)
            }
        }
        #expect(try store.dropHandedOver(upTo: 2).batches == 2)
        #expect(try count("completion", store) == 4_000)
        #expect(try store.reader().integer("SELECT min(event >> 13) FROM completion") == 3)
        #expect(try store.dropHandedOver(upTo: 6).isWhole)
        #expect(try count("completion", store) == 0 && count("device", store) == 0)
        try store.close()
    }

    @Test("what does not count as handed over any more stays")
    func takenBack() throws {
        let store = try open()
        for device in 1...2 {
            let batch = Batches.make("b\(device)", device: device)
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        #expect(try store.emptySpool(upTo: 2).batches == 0)
        #expect(try store.dropHandedOver(upTo: 1).batches == 1)
        #expect(try store.emptySpool(upTo: 2).batches == 0)
        #expect(try count("batch", store) == 1)
        try store.close()
    }

    @Test("segments of days that are gone go too, and those of others are right")
    func segments() throws {
        let store = try open(eventsPerSegment: 20)
        let day: Int64 = 86_400_000
        for number in 0..<60 {
            let batch = Batches.make(
                "b\(number)", device: number % 4,
                times: (0..<5).map { Batches.noon + Int64(number / 10) * day + $0 })
            _ = store.writer.storeTogether([batch])
        }
        let first = Batches.noon / day
        #expect(try store.reader().integer("SELECT min(day) FROM segment") == first)
        _ = try store.dropHandedOver(upTo: 35)
        let reader = try store.reader()
        #expect(try reader.integer("SELECT min(day) FROM segment") == first + 4)
        // Half of this day's rows are left.
        #expect(try reader.rows("SELECT day FROM stale_day") == ["\(first + 3)"])
        try expectSound()
        try store.rebuildStaleDays()
        #expect(try reader.integer("SELECT min(day) FROM segment") == first + 3)
        try expectSound("made anew")
    }

    @Test("a device keeps when it was first seen, as long as it has a batch")
    func firstSeen() throws {
        let store = try open()
        _ = store.writer.storeTogether([
            Batches.make("a", device: 1, times: [Batches.noon - 9]),
            Batches.make("b", device: 2, times: [Batches.noon - 9]),
            Batches.make("c", device: 1, times: [Batches.noon]),
        ])
        _ = try store.dropHandedOver(upTo: 2)
        let first = "SELECT first_time FROM device"
        #expect(try store.reader().rows(first) == ["\(Batches.noon - 9)"])
        try expectSound()
        #expect(store.writer.storeAlone(Batches.make("d", device: 2)) == .stored)
        #expect(try store.reader().integer("SELECT max(first_time) FROM device") == Batches.noon)
        _ = try store.dropHandedOver(upTo: 3)
        #expect(try count("device", store) == 1)
        try expectSound()
    }

    @Test(
        "what a receipt erases is not named by its device's first event either, be its batch dropped",
        arguments: [1, 2])
    func erasedFirst(dropped: Int64) throws {
        let store = try open()
        let moment = Batches.noon + 5_000
        var later = Batches.make("later", device: 3, times: [Batches.noon + 9])
        later.receivedAt = moment
        _ = store.writer.storeTogether([
            Batches.make("emptied-first", device: 3, times: [Batches.noon - 9]),
            Batches.make("second", device: 3), later,
        ])
        _ = try store.dropHandedOver(upTo: dropped)
        func carryOut(before moment: Int64) throws -> [ReceiptedDevice] {
            try store.carryOut([
                ErasureReceipt(app: "shop", device: Batches.device(3), moment: moment)
            ])
        }
        #expect(try carryOut(before: moment).map(\.device) == [Batches.device(3)])
        #expect(
            try store.reader().rows("SELECT first_time, first_batch_id FROM device")
                == ["\(Batches.noon + 9)|later"])
        #expect(try folder.files(with: "emptied-first") == [])
        // Nothing is left that arrived before.
        #expect(try carryOut(before: moment - 1) == [])
        #expect(try ids(store) == ["later"])
        try expectSound()
    }

    @Test("a device of which a batch comes while its last ones are dropped stays")
    func comesBack() throws {
        let store = try open()
        _ = store.writer.storeTogether((0..<20).map { Batches.make("b\($0)", device: $0 % 2) })
        let reader = try store.reader()
        var newest = try NewestBatches(reader)
        let portion = try SpoolPortion(
            after: 0, upTo: 20, openQuarters: 0...0, &newest, reader)
        let doomed = portion.lastDevices.values.flatMap(\.self)
        #expect(doomed.count == 2)
        _ = store.writer.storeTogether([
            Batches.make("new", device: 1), Batches.make("b3", device: 1),
        ])
        // In which the repeat was counted.
        let quarter = QuarterHour.number(of: Batches.noon + 1_000)
        let slice = SpoolSlice(
            batches: 1...20, repeats: portion.repeats, completions: portion.completions,
            sinceQuarter: quarter, openQuarters: quarter + 1...quarter + 1, lastDevices: doomed,
            seen: portion.newest, masterKey: store.masterKey)
        try store.markHandedOver(upTo: 20)
        let deleted = try store.writer.perform(keeping: .allButBatches(of: doomed)) {
            (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try slice.delete(from: connection).batches
            }
        }
        #expect(deleted == 20)
        #expect(try count("device", store) == 1 && count("repeat", store) == 0)
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Store.isEmptyingSpool, 1)
            }
        }
        try expectSound()
        #expect(store.writer.storeAlone(Batches.make("newer", device: 0)) == .stored)
        try expectSound("with a device that came back")
    }

    @Test("a repeat that was counted under another time's clock goes with the next ones")
    func strayRepeats() throws {
        let store = try open()
        _ = store.writer.storeTogether((0..<9).map { Batches.make("b\($0)") })
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                for batch in [2, 3] as [Int64] {
                    try connection.change("INSERT INTO repeat VALUES (1, 5, ?1, 1, 1, 0)", batch)
                }
                try connection.execute(
                    "DELETE FROM event WHERE id >> 13 = 2; DELETE FROM batch WHERE id = 2")
            }
        }
        _ = try store.dropHandedOver(upTo: 2)
        _ = try store.dropHandedOver(upTo: 4)
        #expect(try count("repeat", store) == 0)
    }

    private final class Clock: Sendable {
        let now = Atomic(Batches.noon)
    }

    @Test("what came in this quarter of an hour stays: more of it would be counted by itself")
    func thisQuarter() throws {
        let clock = Clock()
        var options = folder.options
        options.now = { clock.now.load(ordering: .relaxed) }
        let store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        var batch = Batches.make("b")
        #expect(store.writer.storeAlone(batch) == .stored)
        #expect(try store.dropHandedOver(upTo: 1).batches == 0)
        let quarter: Int64 = 900_000
        clock.now.add(quarter, ordering: .relaxed)
        batch.receivedAt += quarter
        #expect(store.writer.storeAlone(batch) == .duplicate(accepted: 1, rejected: 0))
        #expect(try store.dropHandedOver(upTo: 1).batches == 0)
        clock.now.add(quarter, ordering: .relaxed)
        #expect(try store.dropHandedOver(upTo: 1).batches == 0, "one may still be on its way")
        clock.now.add(quarter / 3, ordering: .relaxed)
        #expect(try store.dropHandedOver(upTo: 1).batches == 1)
        try store.close()
    }

    @Test("one that came again just now stays with its counts; those around it go")
    func aroundOne() throws {
        let clock = Clock()
        var options = folder.options
        options.now = { clock.now.load(ordering: .relaxed) }
        // Keys are entered late: what a device has is not to be seen by them.
        options.limits.batchesPerGeneration = 131_072
        let store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        let count = SpoolPortion.maxBatches + 10
        // More than one portion, and less at once than the writer has room for.
        for begin in stride(from: 0, to: count, by: 1_000) {
            let batches = (begin..<min(count, begin + 1_000)).map {
                Batches.make("b\($0)", device: $0 % 3)
            }
            #expect(store.writer.storeTogether(batches).allSatisfy { $0 == .stored })
        }
        let later: Int64 = 7_200_000
        clock.now.add(later, ordering: .relaxed)
        var batch = Batches.make("b5", device: 2)
        batch.receivedAt += later
        #expect(store.writer.storeAlone(batch) == .duplicate(accepted: 1, rejected: 0))
        #expect(try store.dropHandedOver(upTo: Int64(count)).batches == count - 1)
        #expect(try ids(store) == ["b5"])
        #expect(try store.reader().integer("SELECT times FROM repeat") == 1)
        #expect(try self.count("device", store) == 1)
        try expectSound("while it stays")
        clock.now.add(later, ordering: .relaxed)
        #expect(try store.dropHandedOver(upTo: Int64(count)).batches == 1)
        #expect(try self.count("repeat", store) == 0)
        try store.close()
        try expectSound()
    }

    @Test("numbers of dropped batches are not used again, also after a restart")
    func numbers() throws {
        var store = try open()
        _ = store.writer.storeTogether((0..<5).map { Batches.make("b\($0)") })
        _ = try store.dropHandedOver(upTo: 5)
        #expect(try count("batch", store) == 0 && count("device", store) == 0)
        try expectSound("empty")
        try store.close()
        store = try open()
        #expect(store.writer.storeAlone(Batches.make("b0")) == .stored)
        #expect(try store.reader().integer("SELECT min(id) FROM batch") == 6)
        try expectSound()
    }

    @Test(
        "prunes, erasures and emptyings in any order leave what is sound", .tags(.long),
        arguments: 0..<12)
    func inAnyOrder(_ seed: Int) throws {
        let store = try open(eventsPerSegment: 60)
        var random = SplitMix(seed: UInt64(seed))
        var population = PrunePopulation(seed: UInt64(seed))
        var limit = Batches.noon
        for _ in 0..<8 {
            let batches = population.make(30, around: limit, floor: limit - 7_200_000)
            _ = store.writer.storeTogether(batches)
            _ = store.writer.storeTogether(Array(batches.prefix(4)))
            switch random.next(4) {
            case 0: _ = try store.prune(before: limit)
            case 1:
                let app = try #require(store.registry.snapshot.apps.first)
                _ = try store.erase(Batches.device(1 + random.next(5)), of: app)
            default:
                let newest = try store.reader().integer("SELECT max(id) FROM batch") ?? 0
                let last = newest - Int64(random.next(40))
                #expect(try store.dropHandedOver(upTo: last).isWhole)
                let left = try store.reader().integer(
                    "SELECT id FROM batch ORDER BY id LIMIT 1")
                #expect(left ?? .max > last)
            }
            try expectSound()
            limit += 3_600_000
        }
        try store.close()
        try expectSound("closed")
    }

    @Test("batches go on being stored beside it")
    func underLoad() throws {
        let store = try open(eventsPerSegment: 100)
        _ = store.writer.storeTogether(
            (0..<1500).map { Batches.make("b\($0)", device: $0 % 200) })
        let stored = Atomic(0)
        let isDone = Atomic(false)
        let emptied = Answer<EmptiedSpool>()
        Task.detached {
            emptied.set(try? store.dropHandedOver(upTo: 1400))
            isDone.store(true, ordering: .relaxed)
        }
        while !isDone.load(ordering: .relaxed) || stored.load(ordering: .relaxed) < 20 {
            let number = stored.load(ordering: .relaxed)
            // Repeats of what is there or not, and new ones of devices that may just go.
            let outcomes = store.writer.storeTogether([
                Batches.make("b\(number * 37 % 1500)", device: number * 37 % 1500 % 200),
                Batches.make("n\(number)", device: number % 200),
            ])
            #expect(outcomes[1] == .stored)
            stored.store(number + 1, ordering: .relaxed)
        }
        #expect(emptied.wait()?.batches == 1400)
        try expectSound()
        try store.close()
        try expectSound("closed")
    }
}

extension Store {
    fileprivate func markHandedOver(upTo batch: Int64) throws(StorageError) {
        _ = try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.change(
                    "INSERT OR REPLACE INTO handed_over (last_batch, at) VALUES (?1, 0)", batch)
            }
        }
    }

    /// Empties the spool of batches that are marked as handed over.
    fileprivate func dropHandedOver(
        upTo batch: Int64, shouldStop: @escaping () -> Bool = { false }
    ) throws(StorageError) -> EmptiedSpool {
        try markHandedOver(upTo: batch)
        return try emptySpool(upTo: batch, shouldStop: shouldStop)
    }
}
