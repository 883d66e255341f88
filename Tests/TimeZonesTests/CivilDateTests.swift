import Testing
import TimeZones

@Suite("Days of the calendar")
struct CivilDateTests {
    @Test(
        "known days have their numbers",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017),
            (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896), (2026, 3, 28, 20_540),
        ])
    func numbers(year: Int, month: Int, day: Int, number: Int) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.number == number)
        #expect(date.parts == (year, month, day))
    }

    @Test("every day of 800 years follows the one before")
    func everyDay() throws {
        var (year, month, day) = (1601, 1, 1)
        let first = try #require(CivilDate(year: 1601, month: 1, day: 1))
        for number in first.number..<(first.number + 292_194) {
            let date = CivilDate(number: number)
            #expect(date.parts == (year, month, day))
            #expect(CivilDate(parsing: Array(date.text.utf8)) == date)
            day += 1
            if day > CivilDate.length(ofMonth: month, year: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
    }

    @Test(
        "nothing but YYYY-MM-DD of a day that is there is a date",
        arguments: [
            "2026-13-01", "2026-02-30", "2026-2-1", "20260101", "yesterday", "", "2026-00-10",
            "2026-01-01T00:00:00Z", " 2026-01-01", "2026-01-1é", "-2026-01-01", "2026-01-00",
            "0000-01-01", "2025-02-29", "1900-02-29", "2026/01/01", "+026-01-01",
        ])
    func notDates(text: String) {
        #expect(CivilDate(parsing: Array(text.utf8)) == nil)
    }

    @Test("weeks begin on Monday, months on their first day, before 1970 too")
    func starts() {
        func start(_ text: String, _ interval: Interval) -> String? {
            CivilDate(parsing: Array(text.utf8)).flatMap { interval.start(of: $0)?.text }
        }
        #expect(start("2026-03-01", .week) == "2026-02-23")
        #expect(start("2026-03-02", .week) == "2026-03-02")
        #expect(start("1969-12-31", .week) == "1969-12-29")
        #expect(start("2026-03-31", .month) == "2026-03-01")
        #expect(start("1960-02-29", .month) == "1960-02-01")
        #expect(CivilDate(number: 20_540).monthStart(adding: -15).text == "2024-12-01")
        #expect(CivilDate(number: 20_540).monthStart(adding: 10).text == "2027-01-01")
    }

    @Test("buckets at the edges begin before the range and are not whole")
    func edges() throws {
        let from = try #require(CivilDate(year: 2026, month: 1, day: 31))
        let to = try #require(CivilDate(year: 2026, month: 3, day: 1))
        let months = Buckets(from: from, to: to, by: .month)
        #expect(months.starts.map(\.text) == ["2026-01-01", "2026-02-01", "2026-03-01"])
        #expect((0..<3).map(months.isWhole) == [false, true, false])
        #expect(months.index(ofDay: from.number - 1) == nil)
        #expect(months.index(ofDay: from.number) == 0)
        #expect(months.index(ofDay: to.number) == 2)
        #expect(months.index(ofDay: to.number + 1) == nil)
    }

    @Test("the range as one bucket is whole, dated from, and has all of its days")
    func whole() throws {
        let from = try #require(CivilDate(year: 2026, month: 1, day: 31))
        for days in [0, 1, 400, 1_099] {
            let buckets = Buckets(from: from, to: from.adding(days: days), by: .all)
            #expect(buckets.starts == [from] && buckets.isWhole(0))
            #expect(
                (-1...days + 1).map { buckets.index(ofDay: from.number + $0) }
                    == [nil] + (0...days).map { _ in 0 } + [nil])
        }
    }
}
