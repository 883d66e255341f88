import Database
import Foundation
import StoreTestSupport
import Testing

@testable import Query
@testable import Storage

@Suite("Attributes of events, from memory and from rows")
struct AttributeScanTests {
    private let folder = TemporaryFolder()

    /// Sessions that take turns over three days, in no order of time; of one in three the value is no
    /// other's.
    private func batches(_ count: Int) -> [SentBatch] {
        (0..<count).map { number in
            let events = (0..<12).map { place in
                let time = noon - Int64(place * 7 % 12) * day / 4 + Int64(number % 5)
                let value = place % 3 == 0 ? "\"\(number)-\(place)\"" : "\(place % 4)"
                return SentEvent(
                    place == 5 ? "q" : "p", time, place % 4 == 0 ? nil : "s-\(number)-\(place % 2)",
                    place % 5 == 4 ? [] : [("other", "true"), ("kind", value)])
            }
            return SentBatch(
                device: "d-\(number % 7)", id: "\(number)", receivedAt: noon + 1000, events: events)
        }
    }

    private func ask(
        _ store: TestStore, _ tails: SegmentTails = SegmentTails(), readers: ConnectionPool? = nil,
        by key: String = "kind"
    ) throws -> [NamedSum] {
        let environment = ReportEnvironment(tails: tails, readers: readers)
        return try SegmentQueries(store.connection, Interruption(), environment)
            .events(
                store.scope("2026-03-01", "2026-03-28"), named: ByteText("p"),
                byAttribute: ByteText(key), limit: 10_000)
    }

    @Test("are the same with any room to remember them, however many batches a segment has")
    func room() throws {
        let store = try TestStore(batches(40))
        let expected = try ask(store, SegmentTails())
        // Three of a batch have values of their own; the others have four together, or none.
        #expect(expected.count == 40 * 3 + 4 + 1)
        for limit in [1, 100, 10_000] {
            try store.connection.execute("BEGIN")
            try Segmenter(store.connection, limit: limit).begin()
            for octets in [0, 3000, 1 << 20] {
                let tails = SegmentTails(attributes: octets, batches: octets)
                for _ in 0..<3 { #expect(try ask(store, tails) == expected) }
            }
            try store.connection.execute("ROLLBACK")
        }
    }

    @Test("are the same from blocks beside the segments, which are read in place of rows")
    func blocks() throws {
        let store = try TestStore(batches(40))
        let keys = ["kind", "other", "session.id", "none"]
        let expected = try keys.map { try ask(store, by: $0) }
        for limit in [1, 100, 10_000] {
            try store.connection.execute("BEGIN")
            try Segmenter(store.connection, limit: limit).begin()
            try store.connection.execute("COMMIT")
            #expect(try store.makeAttributeBlocks() > 0 || limit > 480)
            #expect(try keys.map { try ask(store, by: $0) } == expected)
            // Of some segments only.
            try store.connection.execute("DELETE FROM segment_attributes WHERE id % 2 = 0")
            #expect(try keys.map { try ask(store, by: $0) } == expected)
            try store.makeAttributeBlocks()
            try store.connection.execute(
                "BEGIN; UPDATE event SET attributes = NULL WHERE id >> 13 <= (SELECT last_batch FROM segmented)"
            )
            #expect(try ask(store, by: "other") == expected[1])
            try store.connection.execute("ROLLBACK")
            try SegmentTable.removeAll(of: store.app.id, store.connection)
        }
    }

    @Test(
        "of blocks that are not what was written are damage",
        arguments: ["x''", "x'00'", "columns || x'00'", "substr(columns, 1, length(columns) - 1)"])
    func damagedBlocks(columns: String) throws {
        let store = try TestStore(batches(5))
        try Segmenter(store.connection, limit: 1).begin()
        try #require(try store.makeAttributeBlocks() > 0)
        try store.connection.execute(
            "UPDATE segment_attributes SET columns = CAST(\(columns) AS BLOB)")
        #expect(throws: QueryError.self) { try ask(store, SegmentTails()) }
        // Nobody reads what is of another segment.
        try store.connection.execute("UPDATE segment_attributes SET of = of + 1")
        _ = try ask(store, SegmentTails())
    }

    @Test(
        "that were remembered are not told of events that were added, or whose segment is another")
    func changes() throws {
        let store = try TestStore(batches(20))
        let tails = SegmentTails()
        for step in 0..<4 {
            if step > 0 {
                for batch in batches(20 + step).suffix(1) { try store.store(batch) }
            }
            if step == 2 { try Segmenter(store.connection, limit: 50).begin() }
            #expect(try ask(store, tails) == ask(store, SegmentTails()))
        }
    }

    @Test(
        "of rows that are not those of the segment are damage",
        arguments: [
            "DELETE FROM event WHERE id = (SELECT max(id) FROM event)",
            "UPDATE event SET late = late + 1 WHERE id = (SELECT max(id) FROM event)",
            "UPDATE event SET session = 1 WHERE session = 0",
            "UPDATE event SET session = 99 WHERE session = 1",
            "UPDATE event SET attributes = '0,' WHERE attributes NOT NULL",
            "UPDATE event SET attributes = 'x,1' WHERE attributes NOT NULL",
            "UPDATE batch SET attribute_keys = '[x]'",
            "DELETE FROM batch WHERE id = 3",
        ])
    func damage(sql: String) throws {
        let store = try TestStore(batches(5))
        try Segmenter(store.connection, limit: 1).begin()
        let tails = SegmentTails()
        let expected = try ask(store, tails)
        try store.connection.execute(sql)
        // Whoever remembers does not look.
        #expect(try ask(store, tails) == expected)
        #expect(throws: QueryError.self) { try ask(store, SegmentTails()) }
    }

    @Test("are read on a further connection, where nothing of the app was taken away meanwhile")
    func readers() throws {
        let store = try TestStore(batches(20))
        try Segmenter(store.connection, limit: 1).begin()
        let expected = try ask(store)
        let path = folder.path + "/copy"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let copy = try Connection(path: path, mode: .copy)
        do {
            let pages = try DatabaseCopy(from: store.connection, to: copy)
            while try pages.step(pages: 1000) {}
        }
        let readers = ConnectionPool(limit: 2) { () throws(StorageError) in
            try Connection(path: path, mode: .read)
        }
        for _ in 0..<3 { #expect(try ask(store, readers: readers) == expected) }
        // What differs tells which of them was asked.
        try copy.execute("DELETE FROM event WHERE id = (SELECT max(id) FROM event)")
        #expect(throws: QueryError.self) { try ask(store, readers: readers) }
        try store.connection.noteRemoval(of: store.app.id)
        #expect(try ask(store, readers: readers) == expected)
        try copy.noteRemoval(of: store.app.id)
        #expect(throws: QueryError.self) { try ask(store, readers: readers) }
        readers.close()
        #expect(try ask(store, readers: readers) == expected)
    }

    @Test("of a segment without a block are read while other threads read the blocks of others")
    func others() throws {
        let store = try TestStore(batches(40))
        try Segmenter(store.connection, limit: 1).begin()
        #expect(try store.makeAttributeBlocks() > 2)
        let reading = Reading(store.connection, Interruption())
        let keys = try AttributeKeys.found([ByteText("kind")], reading)
        let name = try #require(try EventNames.row(of: ByteText("p"), reading))
        let list = try reading.segmentList(of: store.app.id, EventList.always)
        var one = SegmentScan(list, [])
        var other = SegmentScan(list, [])
        #expect(try one.nextSegment())
        let identity = one.identity
        let row = try #require(identity).row
        try store.connection.execute("DELETE FROM segment_attributes WHERE id = \(row)")
        _ = try one.attributes(keys, ofName: name)
        var left = 0
        while try other.nextSegment() { left += 1 }
        // One it has looked at.
        #expect(left == list.count - 2)
        #expect(try one.nextSegment())
        #expect(try !one.nextSegment())
    }
}
