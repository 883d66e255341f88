@testable import Truth

/// A server that answers just as a truth document says, until a cell of it is changed.
struct AnswerBook {
    /// The questions of the document.
    let questions: [JSONValue]
    private let head: [JSONValue.Member]
    /// What to do with a row before it is answered, by the number of the question, the row and its cells.
    var changeRows: (Int, inout [[JSONValue.Member]]) -> Void = { _, _ in }
    var changeMembers: (Int, inout [JSONValue.Member]) -> Void = { _, _ in }

    init(_ document: [UInt8]) throws {
        guard case .object(let members) = try JSONValue(document) else {
            throw TruthFailure("no object")
        }
        head = members.dropLast()
        questions = members.last?.value.elements ?? []
    }

    /// The document with one question alone.
    func document(of number: Int) -> [UInt8] {
        let questions = JSONValue.Member(name: "questions", value: .array([questions[number]]))
        return Array(JSONValue.object(head + [questions]).json.utf8)
    }

    func columns(_ number: Int) -> [String] {
        questions[number]["columns"]?.elements?.compactMap(\.string) ?? []
    }

    func rows(_ number: Int) -> [[JSONValue]] {
        questions[number]["rows"]?.elements?.compactMap(\.elements) ?? []
    }

    func report(_ number: Int) -> String { questions[number]["report"]?.string ?? "" }

    /// The number of the question with these parameters.
    private func number(_ report: String, _ parameters: [(name: String, value: String)]) -> Int? {
        let pairs = JSONValue.array(
            parameters.map {
                .array([.text(ByteText(text: $0.name)), .text(ByteText(text: $0.value))])
            })
        return questions.firstIndex {
            $0["report"]?.string == report && $0["parameters"] == pairs
        }
    }

    func answer(_ report: String, _ parameters: [(name: String, value: String)]) throws -> [UInt8] {
        guard let number = number(report, parameters) else { throw TruthFailure("no question") }
        func text(_ name: String) -> JSONValue {
            .text(ByteText(text: parameters.first { $0.name == name }?.value ?? ""))
        }
        var members: [JSONValue.Member] = [
            .init(name: "report", value: .text(ByteText(text: report))),
            .init(name: "from", value: text("from")), .init(name: "to", value: text("to")),
            .init(name: "time_zone", value: text("tz")),
        ]
        if case .object(let own)? = questions[number]["members"] {
            members += own.map { .init(name: $0.name, value: Self.known($0.value)) }
        }
        changeMembers(number, &members)
        var rows = self.rows(number).map { row in
            zip(columns(number), row).flatMap { Self.cells($0, Self.known($1)) }
        }
        // In two buckets, of which one is empty.
        if questions[number]["sum"] == .bool(true) {
            let empty = (rows.first ?? []).filter { $0.name != "code" }.map { cell in
                JSONValue.Member(
                    name: cell.name, value: cell.name.hasPrefix("late") ? .null : .number("0"))
            }
            if report == "quality" { rows.append(empty) }
            rows = rows.map { $0 + [.init(name: "bytes_received", value: .number("7"))] }
        }
        changeRows(number, &rows)
        members.append(.init(name: "rows", value: .array(rows.map { .object($0) })))
        return Array(JSONValue.object(members).json.utf8)
    }

    /// Some value that is meant.
    private static func known(_ value: JSONValue) -> JSONValue {
        switch Meant(value) {
        case .exactly(let value): value
        case .between: value["from"] ?? .null
        case .anything: .number("1")
        }
    }

    /// `inferred+open` are two columns.
    private static func cells(_ column: String, _ value: JSONValue) -> [JSONValue.Member] {
        guard column == "inferred+open", let count = value.integer else {
            return [.init(name: column, value: value)]
        }
        let half = count / 2
        return [
            .init(name: "inferred", value: .number(String(half))),
            .init(name: "open", value: .number(String(count - half))),
        ]
    }
}
