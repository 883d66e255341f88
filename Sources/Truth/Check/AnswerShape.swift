/// Brings the rows of an answer into the columns of what was meant.
enum AnswerShape {
    /// A row of a server in the meant columns: `a+b` is the sum of two; nil where one is absent.
    /// - Parameter exact: no other columns may be there, and these in their order
    static func cells(
        of row: [JSONValue.Member], in columns: [String], exact: Bool
    ) -> [JSONValue]? {
        let names = columns.flatMap { $0.split(separator: "+").map(String.init) }
        guard !exact || row.map(\.name) == names else { return nil }
        var cells: [JSONValue] = []
        for column in columns {
            let parts = column.split(separator: "+")
            let values = parts.compactMap { part in row.first { $0.name == part }?.value }
            guard values.count == parts.count else { return nil }
            cells.append(values.dropFirst().reduce(values[0], sum))
        }
        return cells
    }

    /// Rows that have one key summed up, in the order in which their keys come first.
    static func summed(_ rows: [[JSONValue]], keyCount: Int) -> [[JSONValue]] {
        var sums: [[JSONValue]] = []
        for row in rows {
            let same = sums.firstIndex { $0[..<keyCount] == row[..<keyCount] }
            guard let same else {
                sums.append(row)
                continue
            }
            for column in keyCount..<row.count {
                sums[same][column] = sum(sums[same][column], row[column])
            }
        }
        return sums
    }

    /// `null` and a number make that number; two numbers that are not whole make an unknown one.
    private static func sum(_ a: JSONValue, _ b: JSONValue) -> JSONValue {
        if b == .null { return a }
        if a == .null { return b }
        guard let first = a.integer, let second = b.integer else { return unknown }
        return .number(String(Int128(first) + Int128(second)))
    }

    /// What cannot be compared: a percentile of two buckets, of which neither is empty.
    static let unknown = JSONValue.object([.init(name: "unknown", value: .null)])
}
