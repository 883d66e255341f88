import Database
import StoreTestSupport
import Testing

@testable import Forwarding

@Suite("how far the spool is handed over")
struct MarkTests {
    private static let minute: Int64 = 60_000

    /// Five batches, a minute apart.
    private static func store() throws -> TestStore {
        try TestStore(
            (0..<5).map { number in
                SentBatch(
                    device: "d", id: "b\(number)", receivedAt: noon + Int64(number) * minute,
                    events: [], bytes: 10)
            })
    }

    @Test("marks of one minute are one row, of later ones their own")
    func grain() throws {
        let connection = try Self.store().connection
        #expect(try HandOverMarks.last(connection) == 0)
        #expect(try HandOverMarks.lastMoment(connection) == nil)
        try HandOverMarks.note(1, at: 0, connection)
        try HandOverMarks.note(2, at: Self.minute - 1, connection)
        try HandOverMarks.note(4, at: Self.minute, connection)
        #expect(
            try connection.integers("SELECT last_batch FROM handed_over ORDER BY 1") == [2, 4])
        #expect(try HandOverMarks.last(connection) == 4)
        #expect(try HandOverMarks.lastMoment(connection) == Self.minute)
        #expect(try HandOverMarks.last(at: Self.minute - 1, connection) == 2)
        #expect(try HandOverMarks.last(at: 0, connection) == 0)
        #expect(try HandOverMarks.takeBack(after: Self.minute - 1, connection) == 2)
        #expect(try HandOverMarks.takeBack(after: -1, connection) == 0)
    }

    @Test("from a moment on, everything that arrived counts as not handed over", arguments: 0...6)
    func since(batch: Int) throws {
        let connection = try Self.store().connection
        try HandOverMarks.note(2, at: 7, connection)
        try HandOverMarks.note(5, at: 7 + Self.minute, connection)
        let moment = noon + Int64(batch) * Self.minute - 1
        try HandOverMarks.takeBack(from: moment, connection)
        #expect(try HandOverMarks.last(connection) == Int64(min(batch, 5)))
    }

    @Test("so does what had arrived before and was handed over since", arguments: [0, 1])
    func backlogSince(late: Int64) throws {
        let connection = try Self.store().connection
        let moment = noon + day
        try HandOverMarks.note(2, at: moment - 1, connection)
        try HandOverMarks.note(3, at: moment + Self.minute + late, connection)
        try HandOverMarks.note(5, at: moment + 2 * Self.minute, connection)
        try HandOverMarks.takeBack(from: moment + Self.minute, connection)
        #expect(try HandOverMarks.last(connection) == 2)
    }

    @Test("a clock that was set back: what came later was handed over later")
    func setBack() throws {
        let connection = try Self.store().connection
        try HandOverMarks.note(2, at: noon + hour, connection)
        try HandOverMarks.note(3, at: noon, connection)
        try HandOverMarks.note(4, at: noon + Self.minute, connection)
        #expect(try HandOverMarks.lastMoment(connection) == noon + Self.minute)
        // Of the second hour nothing is known: the first may have been in it.
        #expect(try HandOverMarks.takeBack(after: noon + Self.minute, connection) == 0)
    }

    @Test("all of it counts as not handed over without a moment")
    func all() throws {
        let connection = try Self.store().connection
        try HandOverMarks.note(5, at: 7, connection)
        try HandOverMarks.takeBack(from: nil, connection)
        #expect(try HandOverMarks.last(connection) == 0)
    }

    @Test("the backlog counts each batch once")
    func backlog() throws {
        let store = try Self.store()
        var backlog = SpoolBacklog(after: 1)
        try backlog.update(store.connection)
        try backlog.update(store.connection)
        #expect(backlog.batches == 4 && backlog.bytes == 40)
        #expect(backlog.oldest == noon + Self.minute)
        backlog.handedOver(to: 3, batches: 2, bytes: 20)
        try backlog.update(store.connection)
        #expect(backlog.batches == 2 && backlog.oldest == noon + 3 * Self.minute)
        // More than had been counted.
        var late = SpoolBacklog(after: 0)
        late.handedOver(to: 4, batches: 4, bytes: 40)
        try late.update(store.connection)
        #expect(late.batches == 1 && late.bytes == 10)
        late.handedOver(to: 5, batches: 1, bytes: 10)
        try late.update(store.connection)
        #expect(late.batches == 0 && late.oldest == nil)
    }
}
