import Testing

@testable import Truth

@Suite("the check of a server's answers")
struct CheckTests {
    private static let summer = noon + 200 * dayLength

    private func run(
        _ book: AnswerBook, _ document: [UInt8], now: () -> Int64 = { summer }
    ) throws -> TruthOutcome {
        try TruthCheck(document).run(now: now, ask: book.answer)
    }

    @Test("answers that are as they were meant make no difference")
    func same() throws {
        let document = try Shop.truth()
        let outcome = try run(AnswerBook(document), document)
        #expect(
            outcome.differenceCount == 0 && outcome.differences.isEmpty, "\(outcome.differences)")
        #expect(outcome.questions == 48 && outcome.rows > 500)
        let check = try TruthCheck(document)
        #expect(check.app == "shop" && check.timeZone == "Europe/Paris")
        #expect(check.from.text == "2026-03-28" && check.to.text == "2026-04-30")
        #expect(check.sessionTimeout == 1_800_000)
    }

    @Test("a change of any column of any report is found, and is the one difference")
    func columns() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        for question in book.questions.indices {
            let rows = book.rows(question)
            for column in book.columns(question).indices {
                let row = rows.count / 2
                book.changeRows = { number, rows in
                    guard number == question else { return }
                    rows[row][column] = .init(
                        name: rows[row][column].name,
                        value: Self.other(than: rows[row][column].value))
                }
                let outcome = try run(book, book.document(of: question))
                let name = "\(book.report(question)).\(book.columns(question)[column])"
                // A row of another key is missing, and one is too many.
                let keys = book.questions[question]["keys"]?.integer ?? 0
                let count = column < keys ? 2 : 1
                #expect(outcome.differenceCount == count, "\(name): \(outcome.differences)")
                #expect(outcome.countByReport == [book.report(question): count])
                guard column >= keys else { continue }
                #expect(outcome.differences[0].column == book.columns(question)[column])
            }
        }
    }

    /// Far from what it was.
    private static func other(than value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number) where number.contains("."): .number("9" + number)
        case .number(let number): .number(String((Int64(number) ?? 0) + 1000))
        case .text: .text(ByteText(text: "other"))
        default: .number("1")
        }
    }

    @Test("a change of any member is found")
    func members() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        for question in book.questions.indices {
            guard case .object(let members)? = book.questions[question]["members"] else { continue }
            for member in ["from", "to", "time_zone"] + members.map(\.name) {
                book.changeMembers = { number, members in
                    guard number == question else { return }
                    guard let index = members.firstIndex(where: { $0.name == member }) else {
                        return
                    }
                    members[index] = .init(name: member, value: .text(ByteText(text: "other")))
                }
                let outcome = try run(book, book.document(of: question))
                #expect(outcome.differenceCount == 1, "\(book.report(question)).\(member)")
                #expect(outcome.differences.first?.column == member)
            }
        }
    }

    @Test("rows that are missing, too many, twice or in another order are told")
    func rows() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        let events = try #require(book.questions.indices.first { book.report($0) == "events" })
        func differences(
            _ change: @escaping (inout [[JSONValue.Member]]) -> Void
        ) throws -> [[String]] {
            book.changeRows = { number, rows in if number == events { change(&rows) } }
            return try run(book, document).differences.map {
                [$0.row, $0.column, $0.server, $0.meant]
            }
        }
        #expect(
            try differences { $0.remove(at: 1) }
                == [["name content.view", "", "row missing", #""content.view" 36 8"#]])
        #expect(
            try differences { rows in
                rows.append(rows[0])
                rows[rows.count - 1][0] = .init(name: "name", value: .text(ByteText(text: "x")))
            }.map { [$0[0], $0[3]] } == [["name x", "row too many"]])
        #expect(
            try differences { $0.append($0[0]) }.map(\.[2]) == ["twice"])
        #expect(
            try differences { $0.swapAt(3, 5) }.map(\.[1]) == ["order"])
        #expect(
            try differences { $0[0].append(.init(name: "suppressed", value: .bool(true))) }
                == [["columns", "", "name,events,devices,suppressed", "name,events,devices"]])
        #expect(
            try differences { $0[0].removeLast() }
                == [["columns", "", "name,events", "name,events,devices"]])
    }

    @Test("20 differences are kept, all are counted, and each says what was asked")
    func kept() throws {
        let document = try Shop.truth()
        var book = try AnswerBook(document)
        book.changeRows = { _, rows in rows = [] }
        let outcome = try run(book, document)
        #expect(outcome.differenceCount == outcome.rows && outcome.rows > 500)
        #expect(outcome.differences.count == 20)
        let first = try #require(outcome.differences.first)
        #expect(first.report == "active" && first.row == "date 2026-03-28")
        #expect(
            first.parameters == [
                Parameter("from", "2026-03-28"), Parameter("to", "2026-04-30"),
                Parameter("tz", "Europe/Paris"), Parameter("interval", "day"),
            ])
    }

    @Test("a number within bounds fits, both ends too, and no other")
    func bounds() {
        let meant = Meant(
            .object([
                .init(name: "from", value: .number("1.500")),
                .init(name: "to", value: .number("3")),
            ]))
        for number in ["1.5", "1.500000001", "3.000000"] { #expect(meant.fits(.number(number))) }
        for number in ["1.499999999", "3.000001", "-2", "2e0"] {
            #expect(!meant.fits(.number(number)))
        }
        #expect(!meant.fits(.null) && meant.text == "1.500 to 3")
        #expect(Meant(.object([.init(name: "unchecked", value: .bool(true))])).fits(.null))
        #expect(!Meant(.number("1.0")).fits(.number("1.00")))
        let (composed, decomposed) = (ByteText(text: "\u{e9}"), ByteText(text: "e\u{301}"))
        #expect(!Meant(.text(composed)).fits(.text(decomposed)))
    }

    @Test(
        "a document that is none is refused in one sentence",
        arguments: [
            ("{", "the truth document is no JSON from byte 1 on"),
            ("{}", "this is no truth document: it has no member truth"),
            (#"{"truth":2}"#, "the truth document is of version 2, which is not known"),
            (#"{"truth":1}"#, "the truth document lacks a member that every one has"),
            (
                #"{"truth":1,"app":"a","time_zone":"Nowhere/At_All","from":"2026-01-01","to":"2026-01-01","session_timeout_ms":1,"questions":[]}"#,
                "the truth document has a time zone that this machine lacks: Nowhere/At_All"
            ),
            (
                #"{"truth":1,"app":"a","time_zone":"UTC","from":"2026-01-01","to":"2026-01-01","session_timeout_ms":1,"questions":[{}]}"#,
                "question 1 of the truth document lacks a member that every question has"
            ),
            (
                #"{"truth":1,"app":"a","time_zone":"UTC","from":"2026-01-01","to":"2026-01-01","session_timeout_ms":1,"questions":[{"report":"x","parameters":[],"columns":["a"],"keys":1,"members":{},"rows":[[1,2]]}]}"#,
                "question 1 of the truth document has a row that is not as long as its columns"
            ),
        ])
    func broken(document: String, sentence: String) {
        #expect(throws: TruthFailure(sentence)) { try TruthCheck(Array(document.utf8)) }
    }

    @Test("an answer that is no report is refused")
    func noReport() throws {
        let check = try TruthCheck(try Shop.truth())
        for answer in ["", "[]", #"{"rows":{}}"#] {
            #expect(throws: TruthFailure("the answer to active is no report in JSON")) {
                try check.run(now: { Self.summer }, ask: { _, _ in Array(answer.utf8) })
            }
        }
    }
}
