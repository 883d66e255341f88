import Events
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Columns
@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("What goes over into segments")
struct SegmenterTests {
    let folder = TemporaryFolder()

    private func open(limit: Int, makes: Bool = true) throws -> Store {
        var options = folder.options
        options.limits.makesSegments = makes
        options.limits.eventsPerSegment = limit
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty {
            for name in ["busy", "quiet", "silent"] { _ = try store.registry.addApp(name) }
        }
        return store
    }

    private func batch(
        _ number: Int, app: Int64 = 1, device: Int = 1, events: Int = 1
    ) -> AcceptedBatch {
        // A day further back with each event.
        let times = (0..<Int64(events)).map { Batches.noon - $0 * Segment.dayLength }
        return Batches.make("b-\(number)", app: app, device: device, times: times)
    }

    /// Device, batch and time of each event of an app, as reports are told of it and as rows say.
    private func expectAll(_ store: Store, app: Int64, tails: SegmentTails) throws {
        let connection = try store.reader()
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        var told: [String] = []
        let always: Range<Int64> = -(1 << 53)..<(1 << 53)
        var scan = SegmentScan(try SegmentList(of: app, always, connection, tails), .all)
        while try scan.next() {
            scan.part.readTimes()
            try scan.check()
            for place in 0..<scan.part.count {
                told.append("\(scan.part.device)|\(scan.part.batch)|\(scan.part.times[place])")
            }
        }
        let rows = try connection.rows(
            """
            SELECT b.device || '|' || b.id || '|' || (b.received_at - e.late)
            FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 WHERE b.app = \(app)
            """)
        #expect(told.sorted() == rows.sorted())
    }

    private func count(_ store: Store, _ what: String) throws -> Int64 {
        try #require(try store.reader().integer("SELECT count(*) FROM \(what)"))
    }

    @Test("a writer that makes none leaves everything to the next one that does")
    func none() throws {
        let plain = try open(limit: 4, makes: false)
        for number in 0..<6 {
            #expect(plain.writer.storeAlone(batch(number, events: 3)) == .stored)
        }
        #expect(try count(plain, "segment") == 0)
        try expectAll(plain, app: 1, tails: SegmentTails())
        #expect(try plain.prune(before: Batches.noon - Segment.dayLength - 1).isWhole)
        try plain.close()
        let store = try open(limit: 4)
        #expect(store.writer.storeAlone(batch(6)) == .stored)
        #expect(try count(store, "segment") > 0)
        try expectAll(store, app: 1, tails: SegmentTails())
        try store.close()
    }

    @Test("an app with few events, or with none, is never looked for far back")
    func quiet() throws {
        var store = try open(limit: 10)
        let tails = SegmentTails()
        #expect(store.writer.storeAlone(batch(0, app: 2)) == .stored)
        for number in 1..<60 {
            #expect(store.writer.storeAlone(batch(number)) == .stored)
            let behind = try store.reader().integer(
                "SELECT max((SELECT max(id) FROM batch) - last_batch) FROM segmented")
            #expect(try #require(behind) <= 11)
            if number % 25 == 0 {
                try store.close()
                store = try open(limit: 10)
            }
        }
        #expect(try count(store, "segmented") == 3)
        #expect(try count(store, "segment WHERE app = 2") == 1)
        // One that comes late has nothing behind it.
        let late = try store.registry.addApp("late").id
        #expect(try count(store, "segmented WHERE app = \(late) AND last_batch = 60") == 1)
        #expect(store.writer.storeAlone(batch(99, app: late)) == .stored)
        #expect(store.writer.storeAlone(batch(99, app: 2)) == .stored)
        for app in 1...late { try expectAll(store, app: app, tails: tails) }
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("of apps that are full at once each transaction packs one, the fullest first")
    func fullAtOnce() throws {
        let store = try open(limit: 10)
        let full = (1...3).map { batch($0, app: Int64($0), events: 10 + $0) }
        #expect(store.writer.storeTogether(full) == [.stored, .stored, .stored])
        var left: [Int64] = []
        for number in 4...6 {
            left.append(try count(store, "app WHERE id NOT IN (SELECT app FROM segment)"))
            #expect(store.writer.storeAlone(batch(number, events: 0)) == .stored)
        }
        #expect(left == [2, 1, 0])
        #expect(try count(store, "segment WHERE app = 3") == 13)
        let tails = SegmentTails()
        for app: Int64 in 1...3 { try expectAll(store, app: app, tails: tails) }
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("where many apps hold much together, the one with the most goes first")
    func manyApps() throws {
        let store = try open(limit: 10)
        for number in 4...6 { _ = try store.registry.addApp("app-\(number)") }
        for app in 1...4 {
            let events = app == 3 ? 9 : 8
            #expect(
                store.writer.storeAlone(batch(app, app: Int64(app), events: events)) == .stored)
        }
        #expect(try count(store, "segment") == 0)
        #expect(store.writer.storeAlone(batch(5, app: 5, events: 7)) == .stored)
        #expect(try count(store, "segment WHERE app = 3") == 9)
        #expect(try count(store, "segment") == 9)
        // With that there is room again.
        #expect(store.writer.storeAlone(batch(6, app: 6, events: 7)) == .stored)
        #expect(try count(store, "segment") == 9)
        let tails = SegmentTails()
        for app: Int64 in 1...6 { try expectAll(store, app: app, tails: tails) }
        try store.close()
    }

    @Test("an app whose events were packed holds no memory, however many such apps there are")
    func memoryOfApps() throws {
        let store = try open(limit: 10)
        for number in 4...40 { _ = try store.registry.addApp("app-\(number)") }
        let connection = try Connection(path: folder.data.database, mode: .write)
        let segmenter = try Segmenter(connection, limit: 10)
        for app: Int64 in 1...40 {
            try connection.transaction { () throws(StorageError) in
                try segmenter.begin()
                segmenter.add(
                    batch(Int(app), app: app, events: 10), number: app, device: 1, resource: 1,
                    names: [1])
                try segmenter.finish()
            }
            segmenter.committed()
            #expect(segmenter.holders == 1)
        }
        // One without events holds none either.
        try segmenter.begin()
        segmenter.add(
            batch(41, app: 7, events: 0), number: 41, device: 1, resource: 1, names: [])
        #expect(segmenter.holders == 1)
        segmenter.forget()
        #expect(segmenter.holders == 0)
        try store.close()
    }

    @Test(
        "rows are read back some before each group, and what comes meanwhile with them",
        arguments: [nil, 14, 19])
    func readBack(forgottenAt: Int?) throws {
        let store = try open(limit: 10_000, makes: false)
        for number in 1...12 {
            #expect(store.writer.storeAlone(batch(number, events: 3)) == .stored)
        }
        let connection = try Connection(path: folder.data.database, mode: .write)
        let segmenter = try Segmenter(connection, limit: 7)
        var reached: [Int64] = []
        for number in 13...40 {
            try connection.transaction { () throws(StorageError) in
                try segmenter.begin(slice: 0)
                try segmenter.finish()
            }
            segmenter.committed()
            reached.append(try SegmentTable.lastBatch(of: 1, connection))
            if number == forgottenAt { segmenter.forget() }
            if number > 20, number < 38 { continue }
            let fresh = batch(number, events: 3)
            #expect(store.writer.storeAlone(fresh) == .stored)
            segmenter.add(
                fresh, number: try #require(try connection.integer("SELECT max(id) FROM batch")),
                device: 1, resource: 1, names: [1])
        }
        // Three batches of three events fill a segment a day.
        if forgottenAt == nil {
            #expect(reached.prefix(6) == [0, 0, 3, 3, 3, 6])
            #expect(reached.suffix(4) == [18, 18, 21, 21])
        } else {
            #expect(reached.last ?? 0 > 18)
        }
        try expectAll(store, app: 1, tails: SegmentTails())
        try store.close()
    }

    @Test("where rows of events in no segment are deleted all the time nothing is read in vain")
    func removals() throws {
        let store = try open(limit: 10_000, makes: false)
        for number in 1...12 {
            #expect(store.writer.storeAlone(batch(number, events: 3)) == .stored)
        }
        let connection = try Connection(path: folder.data.database, mode: .write)
        let segmenter = try Segmenter(connection, limit: 7)
        try segmenter.begin(slice: 0)
        for _ in 0..<9 {
            try SegmentTable.noteTailRemoval(connection)
            try segmenter.begin(slice: 0)
            #expect(segmenter.holders == 0)
        }
        try segmenter.begin(slice: 0)
        #expect(segmenter.holders == 1)
        for _ in 0..<12 { try segmenter.begin(slice: 0) }
        try expectAll(store, app: 1, tails: SegmentTails())
        #expect(try SegmentTable.lastBatch(of: 1, connection) == 12)
        try store.close()
    }

    @Test("small segments are merged after the group that made them, day by day")
    func merges() throws {
        let store = try open(limit: 10_000)
        for number in 0..<8 {
            #expect(store.writer.storeAlone(batch(number, events: 3)) == .stored)
        }
        try store.close()
        let connection = try Connection(path: folder.data.database, mode: .write)
        func segments() throws -> Int64? { try connection.integer("SELECT count(*) FROM segment") }
        // Each batch becomes a segment of each of its days.
        let segmenter = try Segmenter(connection, limit: 1)
        try connection.transaction { () throws(StorageError) in try segmenter.begin() }
        #expect(try segments() == 24)
        #expect(segmenter.hasDueMerges)
        // One that is rolled back is due again.
        try connection.execute("BEGIN IMMEDIATE")
        try segmenter.mergeSome(until: .max)
        #expect(try segments() == 3)
        #expect(!segmenter.hasDueMerges)
        connection.rollBack()
        segmenter.endMerges(isCommitted: false)
        for left in [17, 10, 3] as [Int64] {
            #expect(segmenter.hasDueMerges)
            try connection.transaction { () throws(StorageError) in
                try segmenter.mergeSome(until: 0)
            }
            segmenter.endMerges(isCommitted: true)
            #expect(try segments() == left)
        }
        #expect(!segmenter.hasDueMerges)
        let again = try open(limit: 10_000)
        try expectAll(again, app: 1, tails: SegmentTails())
        try again.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("what is merged has one full size at most, and the rest of the day its own turn")
    func fullSize() throws {
        let store = try open(limit: 200_000)
        let times = (0..<8000 as Range<Int64>).map { Batches.noon + $0 }
        for number in 0..<17 {
            #expect(store.writer.storeAlone(Batches.make("b-\(number)", times: times)) == .stored)
        }
        try store.close()
        let connection = try Connection(path: folder.data.database, mode: .write)
        let segmenter = try Segmenter(connection, limit: 1)
        try connection.transaction { () throws(StorageError) in try segmenter.begin() }
        // 65,536 events are in nine of the seventeen.
        for events in [
            [8000, 8000, 8000, 8000, 8000, 8000, 8000, 8000, 72_000], [64_000, 72_000],
        ] {
            try connection.transaction { () throws(StorageError) in
                try segmenter.mergeSome(until: 0)
            }
            segmenter.endMerges(isCommitted: true)
            #expect(
                try connection.integers("SELECT events FROM segment ORDER BY events")
                    == events.map(Int64.init))
        }
        #expect(!segmenter.hasDueMerges)
        // So it is where they are made anew.
        try connection.execute("INSERT INTO stale_day SELECT DISTINCT app, day FROM segment")
        let again = try open(limit: 200_000)
        try again.rebuildStaleDays()
        try again.close()
        #expect(
            try connection.integers("SELECT events FROM segment ORDER BY id") == [72_000, 64_000])
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("of days that become due again and again each has its turn")
    func turnsOfDays() {
        var due = DueMerges()
        var taken: Set<Int64> = []
        for _ in 0..<10 {
            for day in 0..<400 as Range<Int64> { due.add(DueMerges.Day(app: 1, day: day)) }
            for _ in 0..<40 { taken.insert(due.takeFirst()?.day ?? -1) }
        }
        #expect(taken == Set(0..<400))
        for _ in 0..<360 { #expect(due.takeFirst() != nil) }
        #expect(due.takeFirst() == nil && due.isEmpty)
    }

    @Test("a slice of merges goes on until all are done, and batches are stored between")
    func slices() throws {
        var options = folder.options
        options.limits.eventsPerSegment = 1
        options.limits.sliceNanoseconds = 0
        let store = try Store.open(options)
        _ = try store.registry.addApp("busy")
        for number in 0..<7 {
            #expect(store.writer.storeAlone(batch(number, events: 30)) == .stored)
        }
        // One that comes while thirty days are due waits for one of them.
        let seen = Mutex<Int64?>(nil)
        let (eighth, late) = (batch(7, events: 30), batch(8))
        _ = store.writer.submit(eighth) { _ in
            _ = store.writer.submit(late) { _ in
                seen.withLock { $0 = try? count(store, "segment") }
            }
        }
        #expect(eventually { seen.withLock { $0 != nil } })
        #expect(seen.withLock { $0 } == Int64(8 * 30 - 7 + 1))
        #expect(try eventually { try count(store, "segment") <= 31 })
        try expectAll(store, app: 1, tails: SegmentTails())
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("a day of which rows were deleted is read as rows until its segments are made anew")
    func staleDays() throws {
        var store = try open(limit: 10)
        let tails = SegmentTails()
        for number in 0..<12 {
            #expect(
                store.writer.storeAlone(batch(number, device: number % 3, events: 4)) == .stored)
        }
        // As a prune that is stopped behind its first slice.
        let some = try store.reader().integers(
            "SELECT id FROM event WHERE id >> 13 IN (2, 5, 12) AND id & 1 = 1")
        try #require(some.count == 6)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                _ = try PruneSlice(connection: connection).delete(some[...])
            }
        }
        #expect(try count(store, "stale_day") >= 2)
        try expectAll(store, app: 1, tails: tails)
        #expect(store.writer.storeAlone(batch(50, events: 4)) == .stored)
        try expectAll(store, app: 1, tails: tails)
        try store.rebuildStaleDays()
        #expect(try count(store, "stale_day") == 0)
        try expectAll(store, app: 1, tails: tails)
        try store.close()
        store = try open(limit: 10)
        try expectAll(store, app: 1, tails: tails)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("a column that is damaged is told as such where it is added to a part")
    func lateDamage() throws {
        let store = try open(limit: 10)
        for number in 0..<4 {
            let times = (0..<5 as Range<Int64>).map { Batches.noon + $0 * 1000 }
            let batch = Batches.make("b-\(number)", times: times)
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.execute("UPDATE segment SET sessions = x''")
        }
        let connection = try store.reader()
        let always: Range<Int64> = -(1 << 53)..<(1 << 53)
        var scan = SegmentScan(
            try SegmentList(of: 1, always, connection, SegmentTails()), [.names, .subjects])
        #expect(try scan.next())
        do throws(StorageError) {
            try scan.load(.times)
            Issue.record("nothing was said")
        } catch {
            guard case .damaged = error else { throw error }
        }
        try store.close()
    }

    @Test("a stale day that no event can have is no trap", arguments: [Int64.min, 106_751_991_167])
    func impossibleDay(day: Int64) throws {
        let store = try open(limit: 10)
        _ = try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.change("INSERT INTO stale_day VALUES (1, ?)", day)
        }
        try store.rebuildStaleDays()
        #expect(try count(store, "stale_day") == 0)
        try store.close()
    }

    @Test("of an erased device no segment, and nobody who remembers rows, tells any more")
    func erasure() throws {
        let store = try open(limit: 10)
        let tails = SegmentTails()
        for number in 0..<14 {
            #expect(
                store.writer.storeAlone(batch(number, device: number % 2, events: 4)) == .stored)
        }
        try expectAll(store, app: 1, tails: tails)
        let app = try #require(store.registry.snapshot.apps.first)
        // The newest batch is another's, and stays.
        _ = try store.erase(Batches.device(0), of: app)
        #expect(try count(store, "stale_day") == 0)
        try expectAll(store, app: 1, tails: tails)
        // What was pending of it is not packed by the next batches.
        for number in 20..<26 {
            #expect(store.writer.storeAlone(batch(number, device: 1, events: 4)) == .stored)
        }
        try expectAll(store, app: 1, tails: tails)
        #expect(try count(store, "batch") == 13)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }
}
