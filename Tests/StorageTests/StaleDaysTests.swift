import Events
import StoreTestSupport
import TestSupport
import Testing

@testable import Columns
@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("Stale days, whose segments are made anew")
struct StaleDaysTests {
    private let folder = TemporaryFolder()
    private let day = Segment.day(of: Batches.noon)

    /// Of an app with batches of forty days each, of which rows of one device are gone.
    private func prepare(limit: Int = 50) throws -> Store {
        var options = folder.options
        options.limits.eventsPerSegment = limit
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("busy") }
        for number in 0..<9 { post(number, to: store) }
        let gone = try store.reader().integers(
            "SELECT e.id FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 WHERE b.device = 1")
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                _ = try PruneSlice(connection: connection).delete(gone[...])
            }
        }
        return store
    }

    /// The same with its stale days, and a connection that reads.
    private func prepareDays() throws -> (Store, Connection, StaleDays) {
        let store = try prepare()
        let reader = try store.reader()
        return (store, reader, try #require(try StaleDays.all(reader).first))
    }

    private func post(_ number: Int, to store: Store) {
        let times = (0..<40 as Range<Int64>).map {
            Batches.noon - $0 * Segment.dayLength + Int64(number)
        }
        let batch = Batches.make("b-\(number)", device: number % 3, times: times)
        #expect(store.writer.storeAlone(batch) == .stored)
    }

    private func expectSound(_ store: Store) throws {
        let segments = "SELECT sum(events) FROM segment"
        let rows = "SELECT count(*) FROM event WHERE id >> 13 <= (SELECT last_batch FROM segmented)"
        #expect(try store.reader().integer(segments) == store.reader().integer(rows))
        #expect(try store.reader().integer("SELECT count(*) FROM stale_day") == 0)
        #expect(try StaleDays.all(store.reader()).isEmpty)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    /// A transaction of the writer, and what happens before it.
    private func write(
        _ store: Store, before: @escaping @Sendable () throws(StorageError) -> Void
    ) -> StaleDays.Write {
        { (work) throws(StorageError) in
            try before()
            return try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in try work(connection) }
            }
        }
    }

    @Test("those that lie close together are made together")
    func groups() throws {
        let store = try prepare()
        try store.rebuildStaleDays()
        let impossible: Int64 = 106_751_991_167
        try store.writer.perform(keepsCodes: true) { [day] (connection) throws(StorageError) in
            let days = [.min, day - 90, day - 30, day - 28, day - 26, day - 25, day, impossible]
            for one in days as [Int64] {
                try connection.change("INSERT INTO stale_day VALUES (1, ?)", one)
            }
            for one in day + 1...day + 100 {
                try connection.change("INSERT INTO stale_day VALUES (2, ?)", one)
            }
        }
        let found = try StaleDays.all(store.reader())
        let expected: [[Int64]] = [
            [.min], [day - 90], [day - 30, day - 28, day - 26, day - 25], [day], [impossible],
            Array(day + 1...day + 64), Array(day + 65...day + 100),
        ]
        #expect(found.map(\.days) == expected)
        #expect(found.map(\.app) == [1, 1, 1, 1, 1, 2, 2])
        try store.rebuildStaleDays()
        try expectSound(store)
    }

    @Test("a batch of many days is read for all of them")
    func together() throws {
        let store = try prepare()
        #expect(try StaleDays.all(store.reader()).map(\.days.count) == [40])
        try store.rebuildStaleDays()
        try expectSound(store)
    }

    @Test("what is packed of them meanwhile stays")
    func packedMeanwhile() throws {
        let (store, reader, days) = try prepareDays()
        var number = 100
        try days.rebuild(reader) { (work) throws(StorageError) in
            for _ in 0..<3 {
                post(number, to: store)
                number += 1
            }
            return try write(store, before: {})(work)
        }
        try expectSound(store)
    }

    @Test("where rows are deleted all the time they stay stale, and are rebuilt later")
    func deletedMeanwhile() throws {
        let (store, reader, days) = try prepareDays()
        var count = 0
        try days.rebuild(reader) { (work) throws(StorageError) in
            count += 1
            return try write(store) { () throws(StorageError) in
                try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                    try connection.transaction { () throws(StorageError) in
                        try connection.noteRemoval(of: 1)
                    }
                }
            }(work)
        }
        // Three tries of two steps.
        #expect(count == 3 * 2)
        #expect(try store.reader().integer("SELECT count(*) FROM stale_day") == 40)
        store.retryLater(after: 0)
        #expect(try eventually { try StaleDays.all(store.reader()).isEmpty })
        try expectSound(store)
    }

    @Test("large segments are deleted a few at a time")
    func steps() throws {
        let (store, reader, days) = try prepareDays()
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            _ = try connection.change("UPDATE segment SET events = ?", Int64(Segment.maxEvents))
        }
        let count = "SELECT count(*) FROM segment"
        var counts: [Int64] = [try store.reader().integer(count) ?? 0]
        try days.rebuild(reader) { (work) throws(StorageError) in
            let before = try store.reader().integer(count) ?? 0
            let result = try write(store, before: {})(work)
            counts.append(before - (try store.reader().integer(count) ?? 0))
            return result
        }
        #expect(counts.count > counts[0] / 4)
        // The last step inserts.
        #expect(counts.dropFirst().dropLast().allSatisfy { (0...4).contains($0) })
        try expectSound(store)
    }

    @Test("batches of days are found each once, in order", arguments: [1, 2, 3, 5, 1000])
    func batches(capacity: Int) throws {
        let store = try prepare()
        let reader = try store.reader()
        for (days, last) in [([day], Int64(8)), ([day - 3, day - 1], 9), ([day + 5], 9)] {
            var batches = DayBatches(of: 1, days: days, upTo: last, capacity: capacity)
            var found: [Int64] = []
            while let batch = try batches.next(reader) { found.append(batch) }
            // All events of the first device are gone.
            let left = (1...last).filter { $0 % 3 != 1 }
            #expect(found == (days == [day + 5] ? [] : left))
        }
        try store.close()
    }

    @Test("events are counted by day")
    func counts() {
        var counts = DayCounts([3, 5])
        let taken = [3, 4, 5, 5].map { counts.take($0 * Segment.dayLength + 1) }
        #expect(taken == [true, false, true, true] && counts.greatest == 2)
        var all = DayCounts(nil)
        #expect(all.take(.min) && all.take(.max) && all.greatest == 0)
    }

    @Test("one that is stopped midway is begun anew", arguments: 0...1)
    func stopped(steps: Int) throws {
        let (store, reader, days) = try prepareDays()
        var left = steps
        do throws(StorageError) {
            try days.rebuild(reader) { (work) throws(StorageError) in
                left -= 1
                if left < 0 { throw .closed }
                return try write(store, before: {})(work)
            }
            Issue.record("it was not stopped")
        } catch {
            #expect(try store.reader().integer("SELECT count(*) FROM stale_day") == 40)
        }
        try store.rebuildStaleDays()
        try expectSound(store)
    }

    @Test("all segments of the app may go meanwhile, and come again", arguments: [nil, 2, 3])
    func forgottenMeanwhile(steps: Int?) throws {
        let (store, reader, days) = try prepareDays()
        var count = 0
        do throws(StorageError) {
            try days.rebuild(reader) { (work) throws(StorageError) in
                count += 1
                if count == 2 {
                    // As where a device is split.
                    try store.writer.perform(keepsCodes: true) {
                        (connection) throws(StorageError) in
                        try connection.transaction { () throws(StorageError) in
                            try SegmentTable.removeAll(of: 1, connection)
                            try connection.noteRemoval(of: 1)
                        }
                    }
                    for number in 20..<23 { post(number, to: store) }
                }
                // A kill before or after what is then in vain.
                if let steps, count > steps { throw .closed }
                return try write(store, before: {})(work)
            }
        } catch {
            #expect(error.isClosed)
        }
        try store.rebuildStaleDays()
        try expectSound(store)
    }

    @Test("a number of events that no segment has is no trap")
    func impossibleCount() throws {
        let store = try prepare()
        let reader = try store.reader()
        for count in [Int64.min, .max] {
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                _ = try connection.change("UPDATE segment SET events = ?", count)
            }
            #expect(try !StaleDays.all(reader).isEmpty)
        }
        try store.rebuildStaleDays()
        try store.close()
    }
}
