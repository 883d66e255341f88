/// A question of a truth document, and what the answer was meant to be.
struct MeantAnswer: Sendable {
    let report: String
    let parameters: [Parameter]
    let columns: [String]
    /// How many of the columns name a row.
    let keyCount: Int
    /// The server's rows are summed up before they are compared.
    let isSum: Bool
    let members: [JSONValue.Member]
    /// Each as long as the columns.
    var rows: [[JSONValue]]

    /// - Parameter index: which question of the document it is, from 0
    init(_ value: JSONValue, index: Int) throws(TruthFailure) {
        let name = "question \(index + 1) of the truth document"
        guard let report = value["report"]?.string, let columns = value["columns"]?.strings,
            let keyCount = value["keys"]?.integer, (0...Int64(columns.count)).contains(keyCount),
            case .object(let members)? = value["members"], let rows = value["rows"]?.elements,
            let parameters = value["parameters"]?.elements
        else { throw TruthFailure("\(name) lacks a member that every question has") }
        let parts = columns.map { $0.split(separator: "+") }
        guard columns.count > 0, parts.allSatisfy({ !$0.isEmpty }) else {
            throw TruthFailure("\(name) has a column without a name")
        }
        self.report = report
        self.columns = columns
        self.keyCount = Int(keyCount)
        self.members = members
        isSum = value["sum"] == .bool(true)
        var pairs: [Parameter] = []
        for parameter in parameters {
            guard let pair = parameter.strings, pair.count == 2 else {
                throw TruthFailure("\(name) has a parameter that is no pair of texts")
            }
            pairs.append(Parameter(pair[0], pair[1]))
        }
        self.parameters = pairs
        self.rows = []
        for row in rows {
            guard let cells = row.elements, cells.count == columns.count else {
                throw TruthFailure("\(name) has a row that is not as long as its columns")
            }
            self.rows.append(cells)
        }
    }

    /// What a row is named by: `date 2026-11-03, name screen.view`.
    func name(of key: [JSONValue]) -> String {
        zip(columns, key).map { column, value in "\(column) \(value.string ?? value.json)" }
            .joined(separator: ", ")
    }
}

extension JSONValue {
    /// The texts of an array of texts; nil for other values.
    fileprivate var strings: [String]? {
        guard let elements else { return nil }
        let strings = elements.compactMap(\.string)
        return strings.count == elements.count ? strings : nil
    }
}
