import Database
import Engine
import Storage

/// The table that a server's start empties: which nodes have seen to what that start may have lost
/// (docs/scale.md, Hand-over).
package enum AliveTable {
    private static let columns = ["node"]

    /// All names, and the marks of databases.
    package static let statement = "SELECT DISTINCT node FROM alive"

    /// What a node's database is there as, beside its name: another node of that name is not taken for it.
    static func mark(of node: String, _ store: Store) throws(StorageError) -> String {
        let number = try store.writer.perform(keepsCodes: true) {
            (connection) throws(StorageError) in
            if let number = try connection.fact(Connection.engineMark) { return number }
            let number = Int64.random(in: 1..<1 << 53)
            try connection.setFact(Connection.engineMark, number)
            return number
        }
        return "\(node)/\(number)"
    }

    /// Whether a node's database is there: a count.
    static func count(of mark: String) -> EngineRequest {
        .read("SELECT count() FROM alive WHERE node = \(EngineLiteral.text(mark))")
    }

    /// Says that a node has seen to it.
    static func insert(_ node: String, mark: String) -> EngineRequest {
        var rows = RowBinary.Writer()
        rows.string(node)
        rows.string(mark)
        return .insert(rows.bytes, into: "alive", columns)
    }

    /// Reads the answer to `statement`.
    package static func names(_ answer: [UInt8]) throws(ForwardingError) -> Set<String> {
        try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var names: Set<String> = []
            while !reader.isAtEnd { names.insert(try reader.string()) }
            return names
        }
    }
}
