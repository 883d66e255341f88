import Engine
import Query

/// Sessions by how long they were (docs/reports.md, lengths).
struct LengthsQuestion {
    private let edges: [Int64]
    private let source: Source

    init(_ scope: QueryScope, edges: [Int64]) {
        self.edges = edges
        source = Source(scope)
    }

    func ask(_ asking: inout Asking) throws(QueryError) -> [LengthSums] {
        var values = [LengthSums](repeating: LengthSums(), count: edges.count)
        if edges.isEmpty { return values }
        // The last edge that is not greater; −1 before the first.
        let steps = edges.map { "(dur >= \($0))" }.joined(separator: " + ")
        let rows = try asking.rows(
            """
            SELECT toInt64(\(steps)) - 1 AS l, count(), uniqExactIf(device, NOT sh) \
            FROM (SELECT device, dur, \(source.isShared) \
            FROM (\(SessionSource(source: source).rows()))) GROUP BY l
            """
        ) { (row) throws(RowFailure) in
            (length: try row.index(), sessions: try row.count(), devices: try row.count())
        }
        for (length, sessions, devices) in rows where values.indices.contains(length) {
            values[length].sessions +|= sessions
            values[length].devices +|= devices
        }
        return values
    }
}
