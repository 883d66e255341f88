import Engine

/// What of the engine tells whether a node has something to do: asked before each unit.
struct EnginePulse: Equatable {
    /// A table of which a change is looked for.
    struct Digest: Equatable {
        var rows: UInt64 = 0
        var hash: UInt64 = 0
    }

    /// The engine's clock, whole seconds since 1970.
    var seconds: Int64 = 0
    var registry = Digest()
    var erasures = Digest()
    /// The node is said to be retired.
    var isRetired = false
    /// The version of what is said of it; 0: nothing is.
    var nodeVersion: UInt64 = 0

    /// - Parameter node: its name
    static func statement(_ node: String) -> String {
        let node = EngineLiteral.text(node)
        let parts = [
            "toUInt64(toUnixTimestamp(now())) AS a, toUInt64(0) AS b FROM system.one",
            "toUInt64(count()) AS a, toUInt64(sum(cityHash64(kind, name, version))) AS b "
                + "FROM registry FINAL",
            "toUInt64(count()) AS a, toUInt64(sum(cityHash64(digest, erased_at))) AS b "
                + "FROM erasure FINAL",
            "toUInt64(sum(retired)) AS a, toUInt64(max(version)) AS b FROM node FINAL "
                + "WHERE node = \(node)",
        ]
        // Constants of parts would be taken for one by older servers: `materialize`.
        return "SELECT part, a, b FROM ("
            + parts.enumerated().map { index, part in
                "SELECT materialize(toUInt8(\(index))) AS part, x AS a, y AS b FROM "
                    + "(SELECT a AS x, b AS y FROM (SELECT \(part)))"
            }.joined(separator: " UNION ALL ") + ")"
    }

    init(_ answer: [UInt8]) throws(ForwardingError) {
        try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            while !reader.isAtEnd {
                let part = try reader.uint8()
                let (a, b) = (try reader.uint64(), try reader.uint64())
                switch part {
                case 0: seconds = Int64(clamping: min(a, 1 << 40))
                case 1: registry = Digest(rows: a, hash: b)
                case 2: erasures = Digest(rows: a, hash: b)
                case 3: (isRetired, nodeVersion) = (a > 0, b)
                default: break
                }
            }
        }
    }
}
