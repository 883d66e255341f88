import Engine

/// The table that a server's start empties: which nodes have seen to what that start may have lost
/// (docs/scale.md, Hand-over).
package enum AliveTable {
    private static let columns = ["node"]

    /// All names.
    package static let statement = "SELECT DISTINCT node FROM alive"

    /// Whether a node is there: a count.
    static func count(of node: String) -> EngineRequest {
        .read("SELECT count() FROM alive WHERE node = \(EngineLiteral.text(node))")
    }

    /// Says that a node has seen to it.
    static func insert(_ node: String) -> EngineRequest {
        var row = RowBinary.Writer()
        row.string(node)
        return .insert(row.bytes, into: "alive", columns)
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
