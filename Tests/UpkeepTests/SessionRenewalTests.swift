import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("Segments of the first form")
struct SessionRenewalTests {
    private let folder = TemporaryFolder()

    /// A store with some segments, their blocks of attributes among them.
    private func open() throws -> Store {
        var options = folder.options
        options.limits.eventsPerSegment = 10
        let store = try Store.open(options)
        let app = try store.registry.addApp("shop")
        for number in 0..<12 {
            let begin = Batches.noon - Int64(number % 3) * 86_400_000 + Int64(number)
            var batch = Batches.make(
                "b-\(number)", app: app.id, device: number % 3,
                times: (0..<6 as Range<Int64>).map { begin + $0 * 1000 })
            batch.names = [
                "screen.view", "session.end", "push.received", "session.resume", "session.start",
            ]
            for index in batch.events.indices {
                batch.events[index].name = .init(truncatingIfNeeded: (number + index * 7) % 5)
            }
            #expect(store.writer.storeAlone(batch) == .stored)
        }
        var refused: Set<AttributeBlocks.Missing> = []
        _ = try store.makeAttributeBlocks(
            on: store.reader(), leavingOut: &refused, while: { true })
        return store
    }

    private func write(_ store: Store, _ sql: String) throws {
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute(sql)
        }
    }

    private func columns(_ store: Store) throws -> [[UInt8]] {
        let rows = try store.reader().prepare("SELECT sessions FROM segment ORDER BY id")
        var columns: [[UInt8]] = []
        while try rows.step() { columns.append(rows.blob(0)) }
        return columns
    }

    /// How many blocks of attributes stand beside their segment.
    private func blocks(_ store: Store) throws -> Int64? {
        try store.reader().integer(
            "SELECT count(*) FROM segment AS s JOIN segment_attributes AS a ON a.id = s.id AND a.of = s.checksum"
        )
    }

    private func renew(_ store: Store) throws -> Int? {
        var reached: Int64 = 0
        return try store.renewSessions(after: &reached, on: store.reader()) { true }
    }

    @Test("become what is written today, with their attributes, and once")
    func renewed() throws {
        let store = try open()
        let written = try columns(store)
        try store.writer.perform { (connection) throws(StorageError) in
            try FirstForm.write(connection)
        }
        let first = try columns(store)
        #expect(first.count > 4 && zip(first, written).allSatisfy { $0 != $1 })
        #expect(try Verification(folder.data).run().findings == [])
        #expect(try renew(store) == first.count)
        #expect(try columns(store) == written)
        #expect(try blocks(store) == Int64(first.count))
        #expect(try renew(store) == 0)
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test("wait while something is more urgent, and are renewed later")
    func givesWay() throws {
        let store = try open()
        let written = try columns(store)
        try store.writer.perform { (connection) throws(StorageError) in
            try FirstForm.write(connection)
        }
        var reached: Int64 = 0
        #expect(try store.renewSessions(after: &reached, on: store.reader()) { false } == nil)
        #expect(try columns(store) != written)
        var questions = 0
        _ = try store.renewSessions(after: &reached, on: store.reader()) {
            questions += 1
            return questions < 2
        }
        #expect(reached > 0)
        #expect(try store.renewSessions(after: &reached, on: store.reader()) { true } != nil)
        #expect(try columns(store) == written)
        try store.close()
    }

    @Test("that are not what was written are left for verify to tell")
    func damage() throws {
        let store = try open()
        try store.writer.perform { (connection) throws(StorageError) in
            try FirstForm.write(connection)
        }
        let count = try columns(store).count
        try write(store, "UPDATE segment SET times = x'' WHERE id = 2")
        // What is not read for it is no good either.
        try write(
            store, "UPDATE segment SET subjects = CAST(subjects || x'00' AS BLOB) WHERE id = 3")
        #expect(try renew(store) == count - 2)
        #expect(try !Verification(folder.data).run().findings.isEmpty)
        try store.close()
    }

    @Test("verify sees a column that tells otherwise of the foreground than the events")
    func misjudged() throws {
        let store = try open()
        var column = try columns(store)[0]
        // After the mark and the keys comes what is told of the first group; 2 is that it begins.
        column[11 + 8 * Int(column[10])] ^= 2
        let hex = column.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try write(
            store,
            """
            UPDATE segment SET sessions = x'\(hex)' WHERE id = 1;
            \(CheckedTable.segment.refresh(where: "id = 1"))
            """)
        let findings = try Verification(folder.data).run().findings
        #expect(findings.contains { "\($0)".contains("in the foreground") }, "\(findings)")
        try store.close()
    }
}
