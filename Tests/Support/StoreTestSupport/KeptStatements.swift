import Database

/// Statements of one connection, each compiled once.
final class KeptStatements {
    private final class Kept {
        let statement: Statement
        init(_ statement: consuming Statement) { self.statement = statement }
    }

    private let connection: Connection
    private var byText: [String: Kept] = [:]

    init(_ connection: Connection) { self.connection = connection }

    /// The first number of the first row that a statement gives; 0 where it gives none.
    func row(_ sql: String, _ bind: (borrowing Statement) throws -> Void) throws -> Int64 {
        let kept = try byText[sql] ?? Kept(connection.prepare(sql))
        byText[sql] = kept
        defer {
            kept.statement.reset()
            kept.statement.clear()
        }
        try bind(kept.statement)
        guard try kept.statement.step() else { return 0 }
        let row = kept.statement.int(0)
        _ = try kept.statement.step()
        return row
    }
}
