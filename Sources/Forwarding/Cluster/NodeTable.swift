import Database
import Engine

/// The engine's table of nodes (docs/scale.md, Hand-over and Reports).
package struct NodeTable {
    /// A node as the table has it. Milliseconds since 1970 by the engine's clock.
    package struct Entry: Sendable, Equatable {
        package let name: String
        /// Everything that it answered 200 before is handed over; nil: it has never said so.
        package let completeTo: Int64?
        /// When it was last heard of.
        package let lastSeen: Int64
        /// It is waited for by nobody.
        package let isRetired: Bool
    }

    private static let columns = ["node", "version", "complete_to", "retired"]
    package static let shard = 0

    /// All nodes in the order of their names.
    package static let statement =
        "SELECT node, version, complete_to, retired FROM node FINAL ORDER BY node"

    /// Reads the answer to `statement`.
    package static func entries(_ answer: [UInt8]) throws(ForwardingError) -> [Entry] {
        try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var entries: [Entry] = []
            while !reader.isAtEnd {
                let name = try reader.string()
                let version = try reader.uint64()
                let completeTo = try reader.int64()
                entries.append(
                    Entry(
                        name: name, completeTo: completeTo > 0 ? completeTo : nil,
                        lastSeen: Int64(clamping: version >> RowVersion.nodeBits),
                        isRetired: try reader.uint8() != 0))
            }
            return entries
        }
    }

    /// The moment before which everything that any node answered 200 is handed over; nil where it cannot be
    /// told: there is none, or one has never handed over.
    package static func completeTo(_ entries: [Entry]) -> Int64? {
        var least: Int64?
        for entry in entries where !entry.isRetired {
            guard let completeTo = entry.completeTo else { return nil }
            least = min(least ?? completeTo, completeTo)
        }
        return least
    }

    /// Says something of a node.
    /// - Parameters:
    ///   - completeTo: 0 where it has never handed over
    ///   - version: `SharedRegistry.version` at a moment of the engine's clock
    static func insert(
        _ node: String, completeTo: Int64, isRetired: Bool, version: UInt64
    ) -> EngineRequest {
        var rows = RowBinary.Writer()
        rows.string(node)
        rows.uint64(version)
        rows.int64(completeTo)
        rows.uint8(isRetired ? 1 : 0)
        return .insert(rows.bytes, into: "node", columns)
    }

    /// The engine's clock at most a second later: milliseconds since 1970.
    package static func now(_ session: EngineSession) throws(ForwardingError) -> Int64 {
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(.read("SELECT toInt64(toUnixTimestamp(now()))"), toShard: shard)
        }
        let seconds = try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            try reader.int64()
        }
        return min(max(seconds, 0), 1 << 40) * 1000 + 999
    }

    /// The node that does what one of all has to do: the first by name of those that were heard of within an
    /// hour and are not retired.
    /// - Parameter now: the engine's clock, milliseconds since 1970
    package static func first(_ entries: [Entry], now: Int64) -> String? {
        entries.filter { !$0.isRetired && now - $0.lastSeen < 3_600_000 }
            .map(\.name).min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// All nodes in the order of their names.
    package static func all(_ session: EngineSession) throws(ForwardingError) -> [Entry] {
        try entries(
            ForwardingError.asking { () throws(EngineError) in
                try session.send(.read(statement), toShard: shard)
            })
    }

    /// Milliseconds between two looks at whether a node that lives has just said something else, and for how long:
    /// longer than from one sign of life to the next.
    private static let pause: UInt32 = 500
    private static let patience: UInt32 = 3_000
    /// Milliseconds without a sign after which a node says nothing.
    private static let silence: Int64 = 60_000

    /// From now on nobody waits for a node, until it hands over again.
    /// - Returns: false where there is none of that name
    package static func retire(
        _ name: String, _ session: EngineSession, polling: Polling = .system
    ) throws(ForwardingError) -> Bool {
        func entry() throws(ForwardingError) -> Entry? {
            try all(session).first { $0.name == name }
        }
        func retire(_ entry: Entry) throws(ForwardingError) {
            _ = try ForwardingError.asking { () throws(EngineError) in
                try session.send(
                    insert(
                        name, completeTo: entry.completeTo ?? 0, isRetired: true,
                        version: SharedRegistry.version(at: entry.lastSeen + 1, node: name)),
                    toShard: shard)
            }
        }
        guard let found = try entry() else { return false }
        try retire(found)
        if try now(session) - found.lastSeen > silence { return true }
        // What it was about to say has begun before it could know.
        _ = try polling.first(every: pause, for: patience) { () throws(ForwardingError) -> Bool? in
            if let entry = try entry(), !entry.isRetired { try retire(entry) }
            return nil
        }
        return true
    }
}
