import Events
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("Attributes of segments, stored beside them")
struct StoredAttributesTests {
    private let folder = TemporaryFolder()

    private func open(limit: Int = 10) throws -> Store {
        var options = folder.options
        options.limits.eventsPerSegment = limit
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    private func post(_ store: Store, _ numbers: Range<Int>) {
        for number in numbers {
            let times = (0..<4 as Range<Int64>).map { Batches.noon - $0 * 86_400_000 }
            let batch = Batches.make("b-\(number)", device: number % 3, times: times)
            #expect(store.writer.storeAlone(batch) == .stored)
        }
    }

    private func make(_ store: Store, while goesOn: () -> Bool = { true }) throws -> MadeAttributes
    {
        var refused: Set<AttributeBlocks.Missing> = []
        defer { #expect(refused.isEmpty) }
        return try store.makeAttributeBlocks(
            on: store.reader(), leavingOut: &refused, while: goesOn)
    }

    private func count(_ store: Store, _ what: String) throws -> Int64 {
        try #require(try store.reader().integer("SELECT count(*) FROM \(what)"))
    }

    @Test("each segment gets its own, once, and a restart keeps them")
    func all() throws {
        var store = try open()
        post(store, 0..<12)
        let segments = try count(store, "segment")
        #expect(try make(store) == MadeAttributes(segments: Int(segments), isWhole: true))
        #expect(try make(store) == MadeAttributes(segments: 0, isWhole: true))
        try store.close()
        store = try open()
        #expect(try count(store, "segment_attributes") == segments)
        #expect(try make(store) == MadeAttributes())
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("go with their segment: where it is merged, made anew or forgotten")
    func end() throws {
        let store = try open()
        func expectOwn() throws {
            let others = """
                segment_attributes AS a WHERE NOT EXISTS (
                    SELECT 1 FROM segment AS s WHERE s.id = a.id AND s.checksum = a.of)
                """
            #expect(try count(store, others) == 0)
        }
        for round in 0..<12 {
            post(store, round * 3..<round * 3 + 3)
            _ = try make(store)
            try expectOwn()
        }
        // Eight of a day have become one.
        #expect(try count(store, "segment") < 40)
        let app = try #require(store.registry.snapshot.apps.first)
        _ = try store.erase(Batches.device(1), of: app)
        try expectOwn()
        #expect(try make(store).segments > 0)
        #expect(try Verification(folder.data).run().findings == [])
        _ = try store.prune(before: Batches.noon - 86_400_000 - 1)
        try expectOwn()
        #expect(try make(store).isWhole)
        #expect(try Verification(folder.data).run().findings == [])
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try SegmentTable.removeAll(of: app.id, connection)
            }
        }
        #expect(try count(store, "segment_attributes") == 0)
        try store.close()
    }

    @Test("are not stored where rows were deleted since they were read, or the segment is gone")
    func late() throws {
        let store = try open()
        post(store, 0..<9)
        func made() throws -> [AttributeBlocks.Made] {
            let connection = try store.reader()
            var maker = try AttributeBlockMaker(connection)
            for segment in try AttributeBlocks.missing(connection) { try maker.add(segment) }
            let blocks = try maker.blocks { true }
            return try #require(blocks)
        }
        func insert(_ blocks: [AttributeBlocks.Made]) throws {
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try AttributeBlocks.insert(blocks[...], connection)
            }
        }
        let early = try made()
        try #require(!early.isEmpty)
        let app = try #require(store.registry.snapshot.apps.first)
        _ = try store.erase(Batches.device(1), of: app)
        try insert(early)
        #expect(try count(store, "segment_attributes") == 0)
        let fresh = try made()
        let gone = try #require(fresh.first).segment.id
        _ = try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.change("DELETE FROM segment WHERE id = ?1", gone)
        }
        try insert(fresh)
        #expect(try count(store, "segment_attributes") == Int64(fresh.count - 1))
        try store.close()
    }

    @Test("segments that have gone or changed, or whose day is stale by now, are not refused")
    func goneMeanwhile() throws {
        let store = try open()
        post(store, 0..<9)
        let (left, made, refused) = try store.writer.perform { (connection) throws(StorageError) in
            let listed = try AttributeBlocks.missing(connection)
            let (gone, other, stale) = (listed[0], listed[1], listed[listed.count - 1])
            try connection.execute(
                """
                DELETE FROM segment WHERE id = \(gone.id);
                UPDATE segment SET checksum = checksum + 1 WHERE id = \(other.id);
                INSERT INTO stale_day (app, day) VALUES (\(stale.app), \(stale.day))
                """)
            var maker = try AttributeBlockMaker(connection)
            for segment in listed { try maker.add(segment) }
            let made = try maker.blocks { true } ?? []
            let left = listed.dropFirst(2).filter { $0.day != stale.day }
            return (left, made.map(\.segment), maker.refused)
        }
        #expect(!left.isEmpty && made == left && refused.isEmpty)
        try store.close()
    }

    @Test("a segment with the number of a refused one gets its own")
    func numberGivenAgain() throws {
        let store = try open()
        post(store, 0..<6)
        let connection = try store.reader()
        let listed = try AttributeBlocks.missing(connection)
        var refused = Set(
            listed.map { segment in
                AttributeBlocks.Missing(
                    id: segment.id, checksum: segment.checksum &+ 1, app: segment.app,
                    day: segment.day)
            })
        let made = try store.makeAttributeBlocks(
            on: connection, leavingOut: &refused, while: { true })
        #expect(made.segments == listed.count && !listed.isEmpty)
        try store.close()
    }

    @Test("are left for later as soon as something is more urgent")
    func giveWay() throws {
        let store = try open()
        post(store, 0..<12)
        #expect(try make(store, while: { false }) == MadeAttributes(segments: 0, isWhole: false))
        #expect(try count(store, "segment_attributes") == 0)
        try store.close()
    }

    @Test("of a segment that is not what was written there are none, and no error is thrown")
    func damage() throws {
        let store = try open()
        post(store, 0..<6)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.execute(
                """
                UPDATE segment SET names = x'' WHERE id = 2;
                UPDATE event SET late = late + 1 WHERE id >> 13 = 1 AND id & 1 = 0
                """)
        }
        var refused: Set<AttributeBlocks.Missing> = []
        let made = try store.makeAttributeBlocks(
            on: store.reader(), leavingOut: &refused, while: { true })
        #expect(refused.contains { $0.id == 2 } && refused.count > 1 && made.isWhole)
        #expect(try count(store, "segment_attributes") == Int64(made.segments))
        try store.close()
    }
}
