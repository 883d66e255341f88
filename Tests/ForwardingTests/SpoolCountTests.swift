import Database
import Engine
import Storage
import StoreTestSupport
import Synchronization
import Testing

@testable import Forwarding

@Suite("Repeats and refusals of the spool as rows of the engine")
struct SpoolCountTests {
    private static let quarter = noon / 900_000

    /// Three batches, of which two came again, in their quarter of an hour and later.
    private static func store() throws -> TestStore {
        let resource = ["os.name": "iOS", "os.version": "18", "device.manufacturer": "x"]
        return try TestStore([
            SentBatch(
                device: "a", id: "b1", resource: resource, receivedAt: noon, events: [], bytes: 10,
                repeats: [(noon + 1, 11), (noon + 2, 12), (noon + day, 13)]),
            SentBatch(device: "b", id: "b2", receivedAt: noon + 1, events: [], bytes: 20),
            SentBatch(
                device: "c", id: "b3", receivedAt: noon + 2, events: [], bytes: 30,
                repeats: [(noon + day, 31), (noon + day, 32)]),
        ])
    }

    /// What has changed, a few at a time; each is noted once it was read.
    private static func repeats(
        _ store: TestStore, upTo batch: Int64, limit: Int = 100
    ) throws -> [ReadArrival] {
        let reader = try SpoolCountReader(store.connection, node: "n")
        var all: [ReadArrival] = []
        while true {
            let counts = try reader.counts(upTo: batch, shards: 2, limit: limit)
            if counts.isEmpty { return all }
            #expect(counts.repeatKeys.count <= limit)
            for rows in counts.arrivals { all += try ReadArrival.all(rows.bytes) }
            try counts.note(at: noon, store.connection)
        }
    }

    @Test("a unit has each batch's arrivals of the quarter of an hour in which it was stored")
    func ownQuarter() throws {
        let reader = try SpoolReader(Self.store().connection, node: "n")
        let found = try reader.unit(after: 0, shards: 1, number: 1, prunedTo: nil)
        let rows = try #require(found).readArrivals
        #expect(rows.map(\.batchID) == ["b1", "b2", "b3"])
        #expect(rows.map(\.quarter) == Array(repeating: Self.quarter, count: 3))
        #expect(rows.map(\.times) == [3, 1, 1])
        #expect(rows.map(\.bodyBytes) == [33, 20, 30])
        #expect(rows[0].resource == ["iOS", "18", "", ""])
        #expect(rows[0].app == "shop" && rows[0].node == "n")
        #expect(rows[0].device == TestStore.hash(of: "a"))
    }

    @Test("repeats are totals, with the first time where they are of its quarter of an hour")
    func totals() throws {
        let later = Self.quarter + day / 900_000
        for limit in [1, 2, 100] {
            let store = try Self.store()
            try HandOverMarks.takeBack(from: nil, store.connection)
            let rows = try Self.repeats(store, upTo: 3, limit: limit)
            let found = rows.map { "\($0.batchID) \($0.quarter) \($0.times) \($0.bodyBytes)" }
            #expect(
                Set(found) == [
                    "b1 \(Self.quarter) 3 33", "b1 \(later) 1 13", "b3 \(later) 2 63",
                ])
            #expect(found.count == 3)
        }
        let store = try Self.store()
        #expect(try Self.repeats(store, upTo: 3).isEmpty)
        try HandOverMarks.takeBack(from: noon + day, store.connection)
        #expect(try Self.repeats(store, upTo: 2).map(\.batchID) == ["b1"])
        // Its batch was not handed over before.
        #expect(try Self.repeats(store, upTo: 3).map(\.batchID) == ["b3"])
    }

    @Test("a sum that has changed since it was read stays noted")
    func changedMeanwhile() throws {
        let store = try Self.store()
        try HandOverMarks.takeBack(from: nil, store.connection)
        let counts = try SpoolCountReader(store.connection, node: "n").counts(upTo: 3, shards: 1)
        try store.connection.execute("UPDATE repeat SET times = times + 1 WHERE batch = 3")
        try counts.note(at: noon, store.connection)
        let rows = try Self.repeats(store, upTo: 3)
        #expect(rows.map(\.batchID) == ["b3"] && rows.map(\.times) == [3])
    }

    @Test("sums that were handed over since a moment are handed over again, of whatever time")
    func handedOverSince() throws {
        let store = try Self.store()
        try HandOverMarks.takeBack(from: nil, store.connection)
        let reader = try SpoolCountReader(store.connection, node: "n")
        try reader.counts(upTo: 1, shards: 2).note(at: noon + 9 * day, store.connection)
        #expect(try Self.repeats(store, upTo: 3).map(\.batchID) == ["b3"])
        try HandOverMarks.takeBack(from: noon + 9 * day + 1, store.connection)
        #expect(try Self.repeats(store, upTo: 3).isEmpty)
        try HandOverMarks.takeBack(from: noon + 9 * day, store.connection)
        #expect(Set(try Self.repeats(store, upTo: 3).map(\.batchID)) == ["b1"])
    }

    @Test("however many there are, each is noted once, some in each transaction")
    func many() throws {
        let store = try Self.store()
        let connection = store.connection
        let perTable = ChangedSums.sumsAtOnce * 2
        for (table, last) in [("repeat", "n"), ("refusal", "'code-' || n")] {
            let columns = table == "repeat" ? "times, body_bytes" : "batches"
            let values = table == "repeat" ? "1, 1" : "1"
            let key = table == "repeat" ? "batch" : "code"
            try connection.execute(
                """
                PRAGMA foreign_keys = OFF;
                DELETE FROM "\(table)";
                WITH RECURSIVE numbers(n) AS (
                    SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT \(perTable))
                INSERT INTO "\(table)" (app, quarter, \(key), \(columns))
                SELECT 1 + n % 3, n % 7, \(last), \(values) FROM numbers;
                """)
        }
        var transactions = 0
        func note(from moment: Int64?) throws {
            try ChangedSums.note(from: moment, connection) { (work) throws(StorageError) in
                transactions += 1
                try connection.transaction { () throws(StorageError) in try work(connection) }
            }
        }
        // Of four of seven quarters of an hour.
        try note(from: 3 * 900_000)
        for table in ["repeat", "refusal"] {
            let noted = try connection.rows(
                """
                SELECT count(*), (SELECT count(*) FROM "\(table)" WHERE quarter >= 3)
                FROM \(table)_change WHERE handed_over IS NULL
                """)
            let count = (1...perTable).filter { $0 % 7 >= 3 }.count
            #expect(noted == ["\(count)|\(count)"])
        }
        #expect(transactions == 4)
        try note(from: nil)
        #expect(transactions == 6)
        // Counted before, and half of them handed over since.
        let moment: Int64 = 8 * 900_000
        try connection.execute("UPDATE repeat_change SET handed_over = \(moment) - batch % 2")
        try note(from: moment)
        #expect(transactions == 7)
        #expect(
            try connection.rows("SELECT count(*) FROM repeat_change WHERE handed_over IS NULL")
                == ["\(perTable / 2)"])
    }

    @Test("sums that were sent before marks were taken back are not noted as handed over")
    func sentBefore() throws {
        let folder = TemporaryFolder()
        var options = folder.options
        options.limits.notesChanges = true
        let store = try Store(options) { _, _ in }
        let app = try store.registry.addApp("shop").id
        try store.writer.add([RefusalCount(app: app, quarter: 5, code: "expired", batches: 1)])
        let reader = try store.reader()
        let resets = MarkResets()
        let mark = try SpoolMark(store, resets, reader)
        let counts = try SpoolCountReader(reader, node: "n").counts(upTo: 0, shards: 1)
        #expect(counts.refusalKeys.count == 1)
        let waiting = "SELECT count(*) FROM refusal_change WHERE handed_over IS NULL"
        try HandOverMarks.again(from: nil, store) { resets.count.add(1, ordering: .relaxed) }
        try mark.note(counts, at: noon)
        #expect(try reader.rows(waiting) == ["1"])
        try SpoolMark(store, resets, reader).note(counts, at: noon)
        #expect(try reader.rows(waiting) == ["0"])
        try store.close()
    }

    @Test("repeats of a device that is being erased are left out")
    func erasing() throws {
        for limit in [1, 100] {
            let store = try Self.store()
            try HandOverMarks.takeBack(from: nil, store.connection)
            try store.connection.execute(
                "INSERT INTO erasing SELECT device FROM batch WHERE id = 1")
            #expect(try Self.repeats(store, upTo: 3, limit: limit).map(\.batchID) == ["b3"])
        }
    }

    @Test("refusals are totals of each app, quarter of an hour and code")
    func refusals() throws {
        for limit in [1, 2, 100] {
            let store = try Self.store()
            for code in ["undecodable", "too-large", "undecodable"] {
                try store.refuse(code, at: noon)
                try store.refuse(code, at: noon + day, app: 8)
            }
            try store.refuse("expired", at: noon + day)
            try HandOverMarks.takeBack(from: nil, store.connection)
            let reader = try SpoolCountReader(store.connection, node: "n")
            var texts: [String] = []
            while true {
                let counts = try reader.counts(upTo: 0, shards: 1, limit: limit)
                if counts.isEmpty { break }
                #expect(counts.refusalKeys.count <= limit)
                var rows = RowBinary.Reader(counts.refusals.bytes)
                while !rows.isAtEnd {
                    let (app, quarter) = (try rows.string(), try rows.int64())
                    let (code, node) = (try rows.string(), try rows.string())
                    #expect(node == "n")
                    texts.append(
                        "\(app) \(quarter - Self.quarter) \(code) \(try rows.uint64())")
                }
                try counts.note(at: noon, store.connection)
            }
            #expect(
                texts == [
                    "shop 0 too-large 1", "shop 0 undecodable 2", "shop 96 expired 1",
                    "other 96 too-large 1", "other 96 undecodable 2",
                ])
        }
    }
}
