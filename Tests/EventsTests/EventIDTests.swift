import Testing

@testable import Events

/// docs/schema.md: `event.id`.
@Suite("ids of stored events")
struct EventIDTests {
    @Test("hold the batch's row and the index as sent", arguments: [1, 2, 77, Int64.max >> 13])
    func parts(batch: Int64) {
        for index in [0, 1, 4999, 8191] as [Int64] {
            let id = EventID(batch: batch, index: index)
            #expect(id.batch == batch && id.index == index)
            #expect(id.rawValue == batch * 8192 + index)
            #expect(EventID.all(ofBatch: batch).contains(id.rawValue))
        }
        let all = EventID.all(ofBatch: batch)
        #expect(EventID(rawValue: all.lowerBound - 1).batch == batch - 1)
        #expect(all.count == 8192)
    }
}
