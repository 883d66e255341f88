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

    /// The same and a connection that reads; the days are one group.
    private func prepareReader() throws -> (Store, Connection) {
        let store = try prepare()
        let reader = try store.reader()
        #expect(try StaleDays.all(reader).map(\.days.count) == [40])
        return (store, reader)
    }

    private func post(_ number: Int, to store: Store, app: Int64 = 1, daysBack: Int64 = 0) {
        let times = (0..<40 as Range<Int64>).map {
            Batches.noon - ($0 + daysBack) * Segment.dayLength + Int64(number)
        }
        let batch = Batches.make("b-\(number)", app: app, device: number % 3, times: times)
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

    @Test("what is packed of them meanwhile stays")
    func packedMeanwhile() throws {
        let (store, reader) = try prepareReader()
        var number = 100
        try StaleDays.rebuildAll(reader) { (work) throws(StorageError) in
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
        let (store, reader) = try prepareReader()
        var count = 0
        try StaleDays.rebuildAll(reader) { (work) throws(StorageError) in
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

    /// Has rows of the first app deleted before each of its steps.
    private func busily(
        _ store: Store, _ work: @Sendable (Connection) throws(StorageError) -> Int64
    ) throws(StorageError) -> Int64 {
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.noteRemoval(of: 1)
                return try work(connection)
            }
        }
    }

    /// Two apps, the first with two groups of stale days.
    private func prepareApps() throws -> (Store, Connection) {
        let store = try Store.open(folder.options)
        for app in ["busy", "quiet"] { _ = try store.registry.addApp(app) }
        for number in 0..<9 {
            post(number, to: store)
            post(10 + number, to: store, daysBack: 500)
            post(20 + number, to: store, app: 2)
        }
        try store.writer.perform { [day] (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try Segmenter(connection, limit: 1).begin()
                for ago in 0..<40 as Range<Int64> {
                    for (app, back) in [(1, 0), (1, 500), (2, 0)] as [(Int64, Int64)] {
                        try connection.change(
                            "INSERT INTO stale_day VALUES (?, ?)", app, day - back - ago)
                    }
                }
            }
        }
        let reader = try store.reader()
        #expect(try StaleDays.all(reader).map(\.app) == [1, 1, 2])
        #expect(try reader.integer("SELECT count(*) FROM segment") ?? 0 >= 120)
        return (store, reader)
    }

    @Test("of an app whose rows go all the time no segment is left, and other apps are rebuilt")
    func busyApp() throws {
        let (store, reader) = try prepareApps()
        try StaleDays.rebuildAll(reader) { (work) throws(StorageError) in
            try busily(store, work)
        }
        #expect(try reader.integer("SELECT count(*) FROM stale_day WHERE app = 1") == 80)
        #expect(try reader.integer("SELECT count(*) FROM segment WHERE app = 1") == 0)
        #expect(try reader.integer("SELECT count(*) FROM stale_day WHERE app = 2") == 0)
        #expect(try reader.integer("SELECT sum(events) FROM segment WHERE app = 2") == 360)
        try store.rebuildStaleDays()
        #expect(try reader.integer("SELECT sum(events) FROM segment") == 3 * 360)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("an erasure leaves no segment of its device, though rows of others go all the time")
    func erasedMeanwhile() throws {
        let (store, reader) = try prepareApps()
        let app = try #require(store.registry.snapshot.apps.first { $0.name == "busy" })
        let row = try #require(try store.detach(Batches.device(2), of: app))
        let erasure = Erasure(
            reader: reader, rebuilds: store.upkeep.rebuilds, steps: BusySteps(writer: store.writer))
        #expect(try erasure.finish(row, .all(reader)).events == 6 * 40)
        #expect(try reader.integer("SELECT count(*) FROM segment WHERE app = 1") == 0)
        store.retryLater(after: 0)
        #expect(try eventually { try StaleDays.all(store.reader()).isEmpty })
        #expect(try reader.integer("SELECT sum(events) FROM segment") == 3 * 360 - 6 * 40)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    /// Steps beside each of which rows of the app go.
    private struct BusySteps: StepRunner {
        let writer: StoreWriter

        func step<T: Sendable>(
            keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
        ) throws(StorageError) -> (result: T, time: SliceTime) {
            try writer.step(keeping: keeping) { (connection) throws(StorageError) in
                try connection.noteRemoval(of: 1)
                return try work(connection)
            }
        }
    }

    @Test("segments of megabytes are deleted a few at a time, small ones together")
    func steps() throws {
        let store = try prepare()
        let (days, rest) = ([day - 1, day], (day - 39...day - 2).map(\.self))
        let counts = try store.writer.perform { (connection) throws(StorageError) in
            try connection.change(
                "UPDATE segment SET times = zeroblob(1 << 19) WHERE day BETWEEN ? AND ?",
                days[0], days[1])
            try connection.change(
                """
                INSERT OR REPLACE INTO segment_attributes (id, of, columns)
                SELECT id, checksum, zeroblob(1 << 19) FROM segment WHERE day BETWEEN ? AND ?
                """, days[0], days[1])
            var counts: [[Int64]] = []
            for days in [days, rest] {
                counts.append([])
                var isLast = false
                while !isLast {
                    isLast = try SegmentTable.deleteSome(of: 1, days: days, connection)
                    counts[counts.count - 1].append(
                        try connection.integer("SELECT count(*) FROM segment") ?? -1)
                }
            }
            return counts
        }
        // Two of a megabyte at a time, and the last step finds none or one.
        let large = counts[0]
        #expect(large.count > 1)
        #expect(zip(large, large.dropFirst()).dropLast().allSatisfy { $0 - $1 == 2 })
        #expect(counts[1] == [0])
        try store.close()
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
        let (store, reader) = try prepareReader()
        var left = steps
        do throws(StorageError) {
            try StaleDays.rebuildAll(reader) { (work) throws(StorageError) in
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
        let (store, reader) = try prepareReader()
        var count = 0
        do throws(StorageError) {
            try StaleDays.rebuildAll(reader) { (work) throws(StorageError) in
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

    @Test("a day is forgotten only where no batch of it came since it was looked at")
    func forgotten() throws {
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop").id
        let reader = try store.reader()
        let noon = Batches.noon / Segment.dayLength
        let days = [noon, noon + 5].map { StaleDay(app: app, day: $0) }
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                for day in days {
                    try connection.change(
                        "INSERT INTO stale_day (app, day) VALUES (?1, ?2)", day.app, day.day)
                }
            }
        }
        let empty = try days.map { try $0.emptyTo(reader) }
        #expect(empty == [0, 0])
        #expect(store.writer.storeAlone(Batches.make("b")) == .stored)
        #expect(try days[0].emptyTo(reader) == nil && days[0].emptyTo(reader, after: 0) == nil)
        #expect(try days[1].emptyTo(reader) == 1 && days[1].emptyTo(reader, after: 0) == 1)
        for (day, empty) in zip(days, empty) {
            let isDone = try store.writer.perform { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try day.deleteSegments(connection, emptyTo: empty)
                }
            }
            #expect(isDone)
        }
        #expect(try reader.rows("SELECT day FROM stale_day") == ["\(noon)"])
        try store.close()
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
