import Dispatch
import StoreTestSupport
import Testing

@testable import Forwarding

@Suite("Units that are read while another is on its way")
struct SpoolReadAheadTests {
    private let store: TestStore
    private let ahead: SpoolReadAhead
    private let queue = DispatchQueue(label: "test.read")

    init() throws {
        store = try TestStore(
            ["b1", "b2", "b3"].map { SentBatch(device: "d", id: $0, events: []) })
        var size = SpoolUnit.Limit()
        size.batches = 2
        ahead = SpoolReadAhead(try SpoolReader(store.connection, node: "n"), size, on: queue)
    }

    private func order(after batch: Int64, _ number: UInt64 = 1) -> SpoolReadAhead.Request {
        SpoolReadAhead.Request(batch: batch, number: number, shards: 1, prunedTo: 0)
    }

    /// Which batches a unit has once the first is gone, after another was begun before.
    private func batches(
        begun: SpoolReadAhead.Request, asked: SpoolReadAhead.Request, isForgotten: Bool = false
    ) throws -> [String]? {
        ahead.begin(begun)
        queue.sync {}
        if isForgotten { ahead.forget() }
        try store.connection.execute("DELETE FROM batch WHERE id = 1")
        return try ahead.unit(asked)?.readBatches.map(\.batchID)
    }

    @Test("one that was full when it was begun is as it was then, and used once")
    func full() throws {
        let order = order(after: 0)
        #expect(try batches(begun: order, asked: order) == ["b1", "b2"])
        #expect(try ahead.unit(order)?.readBatches.map(\.batchID) == ["b2", "b3"])
    }

    @Test("one that was not full is read anew: more may have come")
    func notFull() throws {
        let order = order(after: 1)
        ahead.begin(order)
        queue.sync {}
        try store.store(SentBatch(device: "d", id: "b4", events: []))
        let unit = try ahead.unit(order)
        #expect(try unit?.readBatches.map(\.batchID) == ["b2", "b3"] && unit?.isFull == true)
        #expect(try ahead.unit(self.order(after: 4)) == nil)
    }

    @Test("one that was forgotten, or is not the one that was begun, is read")
    func others() throws {
        #expect(
            try batches(begun: order(after: 0), asked: order(after: 0), isForgotten: true)
                == ["b2", "b3"])
        for other in [
            order(after: 0, 2),
            SpoolReadAhead.Request(batch: 0, number: 1, shards: 2, prunedTo: 0),
            SpoolReadAhead.Request(batch: 0, number: 1, shards: 1, prunedTo: 1),
        ] {
            let test = try Self()
            let found = try test.batches(begun: order(after: 0), asked: other)
            #expect(found?.sorted() == ["b2", "b3"])
        }
    }
}
