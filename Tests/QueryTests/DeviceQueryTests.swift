import Events
import Query
import StoreTestSupport
import Testing

@Suite("What is kept of a device, in short")
struct DeviceQueryTests {
    private func hash(_ device: String) throws -> DeviceHash {
        try #require(DeviceHash(TestStore.hash(of: device)))
    }

    @Test("the short record counts what is there")
    func record() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "2", resource: ["os.name": "iOS", "os.version": "18"],
                isShared: true, receivedAt: 20,
                events: [SentEvent("p", noon, "s"), SentEvent("p", noon + 5, "t")]),
            SentBatch(
                device: "a", id: "1", resource: ["os.name": "iOS"], receivedAt: 10,
                events: [SentEvent("p", noon - 5, "s")]),
            SentBatch(device: "b", id: "1", events: []),
        ])
        let record = try #require(
            try SegmentQueries(store.connection).device(hash("a"), of: store.app))
        #expect(record.isShared && record.firstSeen == noon - 5)
        #expect(record.firstEvent == noon - 5 && record.lastEvent == noon + 5)
        #expect(record.firstArrival == 10 && record.lastArrival == 20)
        #expect(
            (record.batches, record.events, record.rejected, record.sessions) == (2, 3, 0, 2))
        // As they arrived, and not as they were stored.
        #expect(record.resources.map { $0.map(\.value.string) } == [["iOS"], ["iOS", "18"]])
        let empty = try #require(
            try SegmentQueries(store.connection).device(hash("b"), of: store.app))
        #expect(empty.firstSeen == nil && empty.events == 0 && empty.resources == [[]])
        #expect(try SegmentQueries(store.connection).device(hash("c"), of: store.app) == nil)
    }
}
