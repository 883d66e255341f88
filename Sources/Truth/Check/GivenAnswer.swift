/// What a server has answered.
struct GivenAnswer: Sendable {
    private let members: [JSONValue.Member]
    /// Their cells in the order of the columns.
    private(set) var rows: [[JSONValue.Member]]

    /// - Throws: `TruthFailure` where the bytes are no report
    init(_ bytes: [UInt8], report: String) throws(TruthFailure) {
        guard case .object(let members)? = try? JSONValue(bytes),
            let rows = members.last(where: { $0.name == "rows" })?.value.elements
        else { throw TruthFailure("the answer to \(report) is no report in JSON") }
        self.members = members
        self.rows = []
        for row in rows {
            guard case .object(let cells) = row else {
                throw TruthFailure("the answer to \(report) has a row that is no object")
            }
            self.rows.append(cells)
        }
    }

    /// A member beside the rows.
    subscript(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The names of the members between `time_zone` and `rows`.
    var names: [String] {
        let names = members.map(\.name)
        guard let zone = names.firstIndex(of: "time_zone") else { return names }
        return Array(names[(zone + 1)...].dropLast())
    }
}
