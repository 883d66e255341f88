import Query
import Reports
import StoreTestSupport
import Testing

@Suite("lengths")
struct LengthsReportTests {
    private let today = range("2026-03-28", "2026-03-28")

    /// A session of so many milliseconds.
    private func session(
        _ device: String, _ length: Int64, shared: Bool = false
    ) -> SentBatch {
        SentBatch(
            device: device, id: "\(length)", isShared: shared,
            events: [
                SentEvent("session.start", noon, "\(length)"),
                SentEvent("session.end", noon + length, "\(length)"),
            ])
    }

    @Test("an edge begins a length, and a millisecond before it belongs to the one before")
    func edges() throws {
        let seconds: [Int64] = [3, 10, 30, 60, 180, 600, 1800, 3600]
        let lengths: [Int64] =
            [0] + seconds.flatMap { second in [second * 1000 - 1, second * 1000] }
        let store = try TestStore(
            lengths.map { session("d\($0)", $0) } + [session("shared", 3000, shared: true)],
            timeout: 7_200_000)
        #expect(
            try store.ask("lengths", today).lines == [
                "0,3,2,0.111111,2", "3,10,3,0.166667,2", "10,30,2,0.111111,2",
                "30,60,2,0.111111,2", "60,180,2,0.111111,2", "180,600,2,0.111111,2",
                "600,1800,2,0.111111,2", "1800,3600,2,0.111111,2", "3600,,1,0.055556,1",
            ])
    }

    @Test("nothing has nine rows, and small groups keep their edges")
    func nothing() throws {
        let none = try TestStore([]).ask("lengths", today).lines
        #expect(none.count == 9 && none[0] == "0,3,0,,0" && none[8] == "3600,,0,,0")
        let store = try TestStore([session("a", 0), session("b", 5000), session("c", 5000)])
        let lines = try store.ask("lengths", today, minGroup: 2).lines
        // The length of one device is like all lengths of none.
        #expect(lines.prefix(3) == ["0,3,,,,true", "3,10,2,0.666667,2,", "10,30,,,,true"])
        #expect(
            try TestStore([session("b", 5000), session("c", 5000)])
                .ask("lengths", today, minGroup: 2).lines.prefix(3)
                == ["0,3,0,0.000000,0,", "3,10,2,1.000000,2,", "10,30,0,0.000000,0,"])
    }
}
