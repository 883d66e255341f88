/// Compares one answer with what was meant.
struct AnswerComparison {
    private let meant: MeantAnswer
    private(set) var outcome: TruthOutcome

    init(_ meant: MeantAnswer, _ outcome: TruthOutcome) {
        self.meant = meant
        self.outcome = outcome
    }

    mutating func compare(_ given: GivenAnswer) {
        outcome.questions += 1
        for (name, member) in [("from", "from"), ("to", "to"), ("tz", "time_zone")] {
            let parameter = meant.parameters.first { $0.name == name }
            let text = parameter.map { JSONValue.text(ByteText(text: $0.value)) }
            expect(text, given[member], "members", member)
        }
        compareMembers(given)
        var rows: [[JSONValue]] = []
        for row in given.rows {
            let cells = AnswerShape.cells(of: row, in: meant.columns, exact: !meant.isSum)
            guard let cells else {
                insert(
                    "columns", "", server: row.map(\.name).joined(separator: ","),
                    meant: meant.columns.joined(separator: ","))
                return
            }
            rows.append(cells)
        }
        compare(meant.isSum ? AnswerShape.summed(rows, keyCount: meant.keyCount) : rows)
    }

    private mutating func compareMembers(_ given: GivenAnswer) {
        let names = meant.members.map(\.name)
        if given.names != names {
            insert(
                "members", "", server: given.names.joined(separator: ","),
                meant: names.joined(separator: ","))
        }
        for member in meant.members {
            expect(member.value, given[member.name], "members", member.name)
        }
    }

    private mutating func compare(_ rows: [[JSONValue]]) {
        let keys = rows.map { Array($0[..<meant.keyCount]) }
        var places: [ByteText: Int] = [:]
        for (place, key) in keys.enumerated() {
            outcome.rows += 1
            let name = meant.name(of: key)
            if places[ByteText(text: name)] == nil {
                places[ByteText(text: name)] = place
            } else {
                insert(name, "", server: "twice", meant: "once")
            }
        }
        var last = -1
        var isInOrder = true
        for row in meant.rows {
            let name = meant.name(of: Array(row[..<meant.keyCount]))
            guard let place = places.removeValue(forKey: ByteText(text: name)) else {
                outcome.rows += 1
                insert(name, "", server: "row missing", meant: Self.text(row))
                continue
            }
            if place < last, isInOrder {
                // One that is out of order moves others: it is said once.
                isInOrder = false
                insert(name, "order", server: "before another", meant: "after it")
            }
            last = max(last, place)
            for (column, cell) in row.enumerated() {
                expect(cell, rows[place][column], name, meant.columns[column])
            }
        }
        for (name, place) in places.sorted(by: { $0.value < $1.value }) {
            insert(name.text, "", server: Self.text(rows[place]), meant: "row too many")
        }
    }

    private static func text(_ row: [JSONValue]) -> String {
        row.map(\.json).joined(separator: " ")
    }

    private mutating func expect(
        _ meant: JSONValue?, _ server: JSONValue?, _ row: String, _ column: String
    ) {
        guard let meant else { return }
        let cell = Meant(meant)
        guard let server else {
            insert(row, column, server: "nothing", meant: cell.text)
            return
        }
        guard server != AnswerShape.unknown, !cell.fits(server) else { return }
        insert(row, column, server: server.json, meant: cell.text)
    }

    private mutating func insert(_ row: String, _ column: String, server: String, meant: String) {
        outcome.insert(
            TruthDifference(
                report: self.meant.report,
                parameters: self.meant.parameters, row: row,
                column: column, server: server, meant: meant))
    }
}
