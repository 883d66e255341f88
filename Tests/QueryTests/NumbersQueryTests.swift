import StoreTestSupport
import Testing
import TimeZones

@testable import Query

@Suite("Numbers of events")
struct NumbersQueryTests {
    /// One batch: a number each hour from 2026-03-27T00:00Z to the end of the next day, the hour itself, but
    /// every fifth is a text; of `kind` they have two values that take turns every three hours.
    private static let batch = SentBatch(device: "d", id: "1", events: (0..<48).map(event))

    private static func event(_ hour: Int) -> SentEvent {
        let time = noon - day / 2 - day + Int64(hour) * 3_600_000
        let number = hour % 5 == 4 ? "\"\(hour)\"" : "\(hour)"
        let kind = hour / 3 % 2 == 0 ? "\"a\"" : "\"b\""
        return SentEvent("p", time, "s\(hour / 9)", [("n", number), ("kind", kind)])
    }

    @Test(
        "count on the day on which each happened, though one batch has them all",
        arguments: [("UTC", 24), ("Asia/Kathmandu", 19), ("America/New_York", 28)],
        [nil, NumberGrouping.attribute(ByteText("kind")), .resource("os.name")])
    func days(zone: (name: String, firstHour: Int), grouping: NumberGrouping?) throws {
        let store = try TestStore([Self.batch], timeZone: zone.name)
        let hours = (zone.firstHour..<min(zone.firstHour + 24, 48)).filter { $0 % 5 != 4 }
        try store.forEachForm { form in
            for interval in [nil, Interval.day] {
                let found = try NumbersQuery(
                    store.scope("2026-03-28", "2026-03-28"), ByteText("p"), ByteText("n"),
                    grouping, interval, Reading(store.connection, Interruption())
                ).run(percents: [50], limit: 10)
                #expect(
                    found.spreads.reduce(0) { $0 + $1.count } == hours.count, "\(form), \(zone)")
                #expect(
                    found.spreads.reduce(0) { $0 + $1.sum }
                        == Int128(hours.reduce(0, +)) * 1_000_000, "\(form), \(zone)")
                if case .attribute = grouping {
                    let first = hours.filter { $0 / 3 % 2 == 0 }
                    let a = found.spreads.first { $0.name == ByteText("a") }
                    #expect(a?.count == first.count && a?.greatest == first.max().map(Double.init))
                }
            }
        }
    }
}
