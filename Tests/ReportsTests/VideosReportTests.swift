import Query
import Reports
import StoreTestSupport
import Testing

@Suite("videos")
struct VideosReportTests {
    private let today = range("2026-03-28", "2026-03-28")

    private func enter(_ time: Int64, _ video: String = "v") -> SentEvent {
        SentEvent("video.enter_fullscreen", noon + time, nil, [("video.id", "\"\(video)\"")])
    }

    private func exit(_ time: Int64, _ video: String = "v") -> SentEvent {
        SentEvent("video.exit_fullscreen", noon + time, nil, [("video.id", "\"\(video)\"")])
    }

    private func batch(
        _ device: String, _ id: String, _ events: [SentEvent], os: String = "iOS",
        shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: id, resource: ["os.name": os], isShared: shared, events: events)
    }

    @Test("an enter pairs with the next sign of the same device and video, if that is an exit")
    func pairs() throws {
        let store = try TestStore([
            // 1.5 s; then an enter without an exit, one of 2 s, and an exit without an enter.
            batch("a", "1", [exit(1500), enter(0), enter(2000), enter(3000)]),
            batch("a", "2", [exit(5000), exit(6000), enter(4000, "w"), exit(4001, "u")]),
            batch("b", "1", [enter(100)]), batch("c", "1", [exit(200)]),
            batch("s", "1", [enter(0), exit(10_000)], shared: true),
        ])
        #expect(
            try store.ask("videos", today).lines == ["v,5,2,13.500,2.000", "w,1,1,0.000,"])
        #expect(try store.ask("videos", today + [("limit", "1")]).lines == ["v,5,2,13.500,2.000"])
    }

    @Test("within one millisecond enters come first, and the last of them has the exit")
    func ties() throws {
        let store = try TestStore([
            batch("a", "b", [exit(0), enter(0)], os: "iOS"),
            batch("a", "B", [enter(0)], os: "Android"),
            batch("a", "c", [exit(7000)], os: "Android"),
        ])
        #expect(try store.ask("videos", today).lines == ["v,2,1,0.000,0.000"])
        // `b` comes behind `B`: its enter is the one that ends at once.
        #expect(
            try store.ask("videos", today + [("os.name", "iOS")]).lines == ["v,1,1,0.000,0.000"])
        #expect(
            try store.ask("videos", today + [("os.name", "Android")]).lines == ["v,1,1,0.000,"])
    }

    @Test("the enter decides about range and filter, the exit may lie anywhere")
    func edges() throws {
        let store = try TestStore([
            batch("a", "1", [enter(11 * hour)]), batch("a", "2", [exit(40 * day)], os: "Android"),
            // An enter before the range is not counted, and leaves no exit to others.
            batch("b", "1", [enter(-13 * hour)], os: "Android"), batch("b", "2", [exit(-1000)]),
            // Another enter behind the range comes first.
            batch("c", "1", [enter(11 * hour), enter(13 * hour), exit(14 * hour)]),
        ])
        #expect(
            try store.ask("videos", today).lines == ["v,2,2,3416400.000,3416400.000"])
        #expect(try store.ask("videos", today + [("os.name", "Android")]).lines == [])
    }

    @Test("most enters first, equal ones by octets, and the median is the lower one of two")
    func order() throws {
        let store = try TestStore([
            batch(
                "a", "1",
                [
                    enter(0, "b"), exit(100, "b"), enter(200, "b"), exit(500, "b"), enter(0, "Z"),
                    enter(1, "Z"), enter(0, "a"),
                ])
        ])
        #expect(
            try store.ask("videos", today).lines
                == ["Z,2,1,0.000,", "b,2,1,0.400,0.100", "a,1,1,0.000,"])
        #expect(
            try store.ask("videos", today, minGroup: 2).json.hasSuffix(
                #""suppressed_rows":null,"rows":[]}"#))
    }
}
