import Query
import Reports
import StoreTestSupport
import Testing

@Suite("hours")
struct HoursReportTests {
    private func rows(_ report: Report) -> [String] {
        report.lines.filter { !$0.hasSuffix(",0,0,0") && !$0.hasSuffix(",0,0,0,") }
    }

    @Test("an hour that clocks show twice is one, and one that they leave out is empty")
    func clocks() throws {
        // Lord Howe moves by half an hour: 2026-04-05T02:00+11:00 becomes 01:30+10:30.
        let change: Int64 = 1_775_314_800_000
        let store = try TestStore(
            [
                SentBatch(
                    device: "a", id: "1",
                    events: [-1, 0, 1_799_999, 1_800_000].map {
                        SentEvent("p", change + $0, "s\($0)")
                    })
            ], timeZone: "Australia/Lord_Howe")
        #expect(
            rows(try store.ask("hours", range("2026-04-01", "2026-04-10")))
                == ["7,1,3,1,3", "7,2,1,1,1"])
        // In Paris there is no hour from 2 on that day.
        let spring: Int64 = 1_774_746_000_000
        let paris = try TestStore(
            [
                SentBatch(
                    device: "a", id: "1",
                    events: [-1, 0].map { SentEvent("p", spring + $0, "s") })
            ], timeZone: "Europe/Paris")
        let report = try paris.ask("hours", range("2026-03-23", "2026-03-29"))
        #expect(rows(report) == ["7,1,1,1,1", "7,3,1,1,0"])
        #expect(report.rows.count == 168)
        #expect(report.lines[0] == "1,0,0,0,0" && report.lines[167] == "7,23,0,0,0")
    }

    @Test("devices of all weeks are counted once in an hour, shared ones never")
    func devices() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: [0, 1, 7 * day, 8 * day].map { SentEvent("p", noon + $0, "s") }),
            SentBatch(device: "b", id: "1", events: [SentEvent("p", noon + hour - 1)]),
            SentBatch(
                device: "c", id: "1", isShared: true, events: [SentEvent("p", noon, "t")]),
        ])
        let asked = range("2026-03-22", "2026-04-10")
        #expect(rows(try store.ask("hours", asked)) == ["6,12,5,2,2", "7,12,1,1,0"])
        // The hour of one device is like all hours of none.
        let small = try store.ask("hours", asked, minGroup: 2).lines
        #expect(small.filter { !$0.hasSuffix(",,,,true") } == ["6,12,5,2,2,"])
        #expect(small.count == 168 && small[0] == "1,0,,,,true" && small.contains("7,12,,,,true"))
        #expect(
            rows(try store.ask("hours", range("2026-03-22", "2026-03-28"), minGroup: 2))
                == ["6,12,4,2,2,"])
    }

    @Test("a table ends with a line of marks for each day, and what they stand for")
    func table() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: (0..<8).map { SentEvent("p", noon + $0) } + [SentEvent("p", noon + day)])
        ])
        let asked = range("2026-03-22", "2026-04-10")
        func table(_ minGroup: Int) throws -> [String] {
            let text = try store.ask("hours", asked, minGroup: minGroup).rendered(as: .table)
            return String(decoding: text, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false
            ).map(String.init)
        }
        let dots = String(repeating: "·", count: 12)
        #expect(
            try table(1).dropFirst(2 + 1 + 168) == [
                "", "     0     6     12    18", "Mon  \(dots)\(dots)", "Tue  \(dots)\(dots)",
                "Wed  \(dots)\(dots)", "Thu  \(dots)\(dots)", "Fri  \(dots)\(dots)",
                "Sat  \(dots)█\(dots.dropLast())", "Sun  \(dots)▂\(dots.dropLast())", "",
                "events in an hour  · 0  ▂ 1  █ 8", "",
            ])
        #expect(
            try table(2).dropLast(4).last == "Sat  " + String(repeating: "?", count: 24))
        #expect(try table(2).contains("events in an hour  ? too few devices"))
    }
}
