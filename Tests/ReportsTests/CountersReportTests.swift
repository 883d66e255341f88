import Query
import Reports
import StoreTestSupport
import Testing

@Suite("counters")
struct CountersReportTests {
    private let march = range("2026-03-26", "2026-03-28")

    private func counter(_ name: String, _ value: Int64?, _ time: Int64 = noon) -> SentEvent {
        SentEvent(
            "usage.counter", time, nil,
            [("counter.name", "\"\(name)\"")] + (value.map { [("counter.value", "\($0)")] } ?? []))
    }

    @Test("totals, steps and devices; a step without a value is one")
    func totals() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    counter("tap", 3), counter("tap", nil), counter("zoom", 4),
                    SentEvent("p", noon, nil, [("counter.name", "\"tap\"")]),
                ]),
            SentBatch(device: "b", id: "1", events: [counter("tap", 10), counter("alt", 4)]),
            SentBatch(device: "s", id: "1", isShared: true, events: [counter("alt", 10)]),
        ])
        #expect(
            try store.ask("counters", march).lines == ["alt,14,2,1", "tap,14,3,2", "zoom,4,1,1"])
        #expect(
            try store.ask("counters", march + [("limit", "1")]).lines == ["alt,14,2,1"])
        #expect(
            try store.ask("counters", march, minGroup: 2).json.contains(
                "\"suppressed_rows\":2,\"rows\":[{\"counter\":\"tap\",\"total\":14,"
                    + "\"increments\":3,\"devices\":2}]"))
    }

    @Test("by bucket, the greatest total of the bucket first")
    func dated() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [
                    counter("x", 5, noon - day), counter("y", 9, noon - day), counter("x", 7),
                    counter("y", 1), counter("z", 6),
                ])
        ])
        #expect(
            try store.ask("counters", march + [("interval", "day"), ("limit", "2")]).lines == [
                "2026-03-27,y,9,1,1", "2026-03-27,x,5,1,1", "2026-03-28,x,7,1,1",
                "2026-03-28,y,1,1,1",
            ])
        #expect(
            try store.ask("counters", march + [("interval", "week")]).lines
                == ["2026-03-23,x,12,2,1", "2026-03-23,y,10,2,1", "2026-03-23,z,6,1,1"])
    }

    @Test("a counter's name is compared by octets, whatever is escaped in it")
    func names() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [counter("é", 1), counter("e\u{301}", 1), counter("a\\\"b", 1)])
        ])
        #expect(
            try store.ask("counters", march).rows.map { $0.cells[0] }
                == ["a\"b", "e\u{301}", "é"].map { .text(ByteText($0)) })
    }
}
