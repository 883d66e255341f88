import Query
import Reports
import StoreTestSupport
import TimeZones

/// The table of docs/reports.md, Small groups, once more and apart from the program: from the texts of
/// an answer in which nothing is hidden it makes those of the same answer under a threshold.
struct SmallGroupsOracle {
    /// An answer's texts, cell by cell as they stand in JSON and in CSV.
    struct Answer {
        typealias Member = (name: String, json: String)

        var members: [Member]
        var rows: [[Member]]
        /// As they stand in CSV, quotes and all.
        var cells: [[String]]
        var suppressed: [Bool]
    }

    /// Its name, and ` by` where that is given.
    let report: String
    let k: Int
    /// How many devices have an event in the range and filters; and one of the name that is asked for.
    let people, senders: Int

    private static let named: [String: [String]] = [
        "events": ["devices"], "events by": ["devices"], "counters": ["devices"],
        "platforms": ["devices"],
        "versions": ["devices"], "videos": ["devices"], "values by": ["devices"],
        "content": ["viewers", "completers", "credited"],
    ]
    private static let deciding = [
        "sessions": "devices", "retention": "size", "lifetime": "at_risk", "hours": "devices",
        "lengths": "devices", "values": "devices",
    ]
    private static let keys = [
        "date", "cohort", "day", "weekday", "hour", "at_least", "below", "step", "matcher", "name",
        "value", "counter", "os.name", "content", "video",
    ]
    /// Reports whose zeros tell by what is left.
    private static let withoutZeros = ["hours", "lengths", "active", "funnel", "retention"]
    private static let byItself: [String: [String]] = [
        "active": ["active", "active_7d", "active_30d", "new"], "funnel": ["devices"],
        "versions": ["new"], "content": ["viewers", "completers", "credited"],
        "retention": (0...90).map { "p\($0)" },
    ]
    private static let made: [String: [String: [String]]] = [
        "active": ["stickiness": ["active", "active_30d"]],
        "content": [
            "views": ["viewers"], "completions": ["completers"],
            "completion_rate": ["viewers", "completers"],
        ],
    ]

    private func isSmall(_ count: Int) -> Bool { 1..<k ~= count }

    private func isSmall(_ text: String?) -> Bool {
        text.flatMap { Int($0) }.map { isSmall($0) } ?? false
    }

    /// What of a row goes for its own counts: names of columns.
    private func small(_ row: [String: String]) -> Set<String> {
        if isSmall(people) || Self.deciding[report].map({ isSmall(row[$0]) }) ?? false {
            return Set(row.keys.filter { !Self.keys.contains($0) })
        }
        return Set((Self.byItself[report] ?? []).filter { isSmall(row[$0]) })
    }

    /// Ratios that go with what they are made of.
    private func made(_ index: Int, of gone: [Set<String>]) -> Set<String> {
        var out: Set<String> = []
        for (column, parts) in Self.made[report] ?? [:]
        where parts.contains(where: gone[index].contains) { out.insert(column) }
        guard report == "funnel" else { return out }
        let steps = gone.map { $0.contains("devices") }
        if steps[index] || steps[0] { out.insert("from_first") }
        if index > 0, steps[index] || steps[index - 1] { out.insert("from_previous") }
        return out
    }

    /// Adds the zeros of columns in which something is gone; takes out what was not there.
    private func settle(_ gone: inout [Set<String>], _ rows: [[String: String]]) {
        for index in rows.indices {
            gone[index] = gone[index].filter { rows[index][$0].map { $0 != "null" } ?? false }
        }
        guard Self.withoutZeros.contains(report) else { return }
        let columns = gone.reduce(into: Set<String>()) { $0.formUnion($1) }
        for index in rows.indices {
            gone[index].formUnion(
                columns.filter { column in rows[index][column].flatMap { Double($0) } == 0 })
        }
    }

    /// What of each row goes: names of columns.
    private func hidden(_ rows: [[String: String]]) -> [Set<String>] {
        var gone = rows.map(small)
        settle(&gone, rows)
        let counts = gone
        for index in rows.indices { gone[index].formUnion(made(index, of: counts)) }
        settle(&gone, rows)
        return gone
    }

    /// The answer with small groups hidden.
    func hiding(_ answer: Answer, isLastMonthWhole: Bool) -> Answer {
        var out = answer
        let rows = answer.rows.map {
            Dictionary($0.map { ($0.name, $0.json) }, uniquingKeysWith: { first, _ in first })
        }
        let gone = hidden(rows)
        for index in rows.indices {
            for column in out.rows[index].indices
            where gone[index].contains(out.rows[index][column].name) {
                out.rows[index][column].json = "null"
                out.cells[index][column] = ""
            }
            out.suppressed[index] = !gone[index].isEmpty
        }
        // After `report`, `app`, `from`, `to` and `time_zone`.
        for index in out.members.indices.dropFirst(5)
        where isSmall(people) || isGone(out.members[index], answer, rows, gone, isLastMonthWhole) {
            out.members[index].json = "null"
        }
        guard let counts = Self.named[report] else { return out }
        let left = rows.indices.filter { index in
            counts.contains { rows[index][$0].flatMap { Int($0) }.map { $0 >= k } ?? false }
        }
        out.rows = left.map { out.rows[$0] }
        out.cells = left.map { out.cells[$0] }
        out.suppressed = left.map { out.suppressed[$0] }
        out.members.append(
            ("suppressed_rows", isSmall(people) ? "null" : "\(rows.count - left.count)"))
        return out
    }

    private func isGone(
        _ member: Answer.Member, _ answer: Answer, _ rows: [[String: String]],
        _ gone: [Set<String>], _ isLastMonthWhole: Bool
    ) -> Bool {
        switch member.name {
        case "monthly_average":
            let from = answer.members.first { $0.name == "from" }?.json ?? ""
            return rows.indices.contains { index in
                (rows[index]["date"] ?? "") >= from
                    && (index < rows.count - 1 || isLastMonthWhole)
                    && gone[index].contains("active")
            }
        case "without_number": return isSmall(senders)
        case "devices": return gone.first.map { $0.contains("at_risk") } ?? false
        case "lost", "censored": return gone.contains { $0.contains("at_risk") }
        case "median_lifetime":
            guard let day = Int(member.json) else { return false }
            return gone[day - 1].contains("at_risk")
        default: return false
        }
    }
}

extension SmallGroupsOracle.Answer {
    /// From both forms of an answer.
    init(json: [UInt8], csv: [UInt8]) {
        let head = Self.parts(of: json)
        members = head.filter { $0.name != "rows" }
        let list = head.last?.json ?? "[]"
        rows = Self.split(Array(list.utf8.dropFirst().dropLast()), at: ",").map {
            Self.parts(of: Array($0.utf8))
        }
        cells = Self.split(csv, at: "\r\n").dropFirst().filter { !$0.isEmpty }
            .map { Self.split(Array($0.utf8), at: ",") }
        suppressed = rows.map { _ in false }
    }

    /// As JSON has it.
    var json: String {
        let objects = zip(rows, suppressed).map { row, isSuppressed in
            object(isSuppressed ? row + [("suppressed", "true")] : row)
        }
        return object(members + [("rows", "[" + objects.joined(separator: ",") + "]")])
    }

    private func object(_ members: [Member]) -> String {
        "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    /// Lines of CSV after the names.
    var csv: [String] {
        zip(cells, suppressed).map { ($0 + [$1 ? "true" : ""]).joined(separator: ",") }
    }

    /// The words of a table's rows.
    var words: [[String]] {
        zip(cells, suppressed).map { cells, isSuppressed in
            cells.map { $0.isEmpty ? "-" : $0 } + (isSuppressed ? ["yes"] : [])
        }
    }

    /// The members of an object, values as written.
    private static func parts(of object: [UInt8]) -> [Member] {
        split(Array(object.dropFirst().dropLast()), at: ",").map { part in
            let halves = split(Array(part.utf8), at: ":")
            let name = String(halves[0].dropFirst().dropLast())
            return (name, halves.dropFirst().joined(separator: ":"))
        }
    }

    /// Parts between separators that stand in no quotes, brackets or braces.
    private static func split(_ text: [UInt8], at separator: String) -> [String] {
        if text.isEmpty { return [] }
        let separator = Array(separator.utf8)
        var out: [String] = []
        var part: [UInt8] = []
        var (depth, isQuoted, isEscaped) = (0, false, false)
        var index = 0
        while index < text.count {
            if depth == 0, !isQuoted, text[index...].starts(with: separator) {
                out.append(String(decoding: part, as: UTF8.self))
                part = []
                index += separator.count
                continue
            }
            let byte = text[index]
            part.append(byte)
            index += 1
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted {
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            }
        }
        return out + [String(decoding: part, as: UTF8.self)]
    }
}
