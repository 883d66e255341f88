import Testing

@testable import Truth

@Suite("what a check compares on which day")
struct CheckTimeTests {
    @Test("periods that begin after today are null; at midnight it asks again")
    func today() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        let today = noon + 36 * dayLength
        // 2026-05-03: a period of a later one is null.
        book.changeRows = { [book] number, rows in
            guard book.report(number) == "retention" else { return }
            let isDay = (book.questions[number]["parameters"]?.json ?? "").contains(
                #"["cohort","day"]"#)
            for row in rows.indices {
                for column in 2..<rows[row].count where isDay && row + column - 2 > 36 {
                    rows[row][column] = .init(name: rows[row][column].name, value: .null)
                }
            }
        }
        let outcome = try TruthCheck(document).run(now: { today }, ask: book.answer)
        // Those of weeks and months have nulls, too, which the book does not know.
        #expect(outcome.countByReport["retention"] == Self.laterWeeksAndMonths)
        let days = outcome.differences.filter { $0.parameters.contains(Parameter("cohort", "day")) }
        #expect(days.isEmpty, "\(days)")
        #expect(outcome.differences.allSatisfy { $0.meant == "null" })

        var readings = 0
        var asked = 0
        let check = try TruthCheck(document)
        _ = try check.run(
            now: {
                readings += 1
                return readings == 1 ? today : today + dayLength
            },
            ask: { report, parameters in
                asked += 1
                return try book.answer(report, parameters)
            })
        #expect(asked == 49)
    }

    /// Weeks from 2026-03-23 to 04-27, of 9 periods each: those that begin after 2026-05-03; months likewise.
    private static let laterWeeksAndMonths = (3 + 4 + 5 + 6 + 7 + 8) + (4 + 5)

    @Test("a percentile of two buckets that both have one is not compared")
    func lateInTwoMonths() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        book.changeRows = { [book] number, rows in
            guard book.report(number) == "quality" else { return }
            for row in rows.indices {
                for cell in rows[row].indices where rows[row][cell].name.hasPrefix("late") {
                    rows[row][cell] = .init(name: rows[row][cell].name, value: .number("0.001"))
                }
            }
        }
        #expect(
            try TruthCheck(document).run(now: { noon + 200 * dayLength }, ask: book.answer)
                .differenceCount == 0)
    }
}
