import Database
import Engine
import Storage

/// The registry that all nodes of an engine share: the engine has it, and each node a copy (docs/scale.md,
/// One cluster).
package struct SharedRegistry {
    private let registry: Registry
    private let session: EngineSession
    private let node: String
    private let now: @Sendable () -> Int64

    static let table = "registry"
    static let columns = ["kind", "name", "version", "body"]
    /// What nodes share is on the first shard.
    static let shard = 0

    /// - Parameters:
    ///   - node: this node's name
    ///   - now: milliseconds since 1970
    package init(
        _ registry: Registry, _ session: EngineSession, node: String,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.registry, self.session, self.node, self.now) = (registry, session, node, now)
    }

    private struct EngineRow {
        var kind: String
        var name: String
        var version: UInt64
        var body: String

        /// Nil where it is of a kind that a newer program has brought.
        var shared: Registry.SharedRow? {
            guard let kind = RegistryRow.Kind(rawValue: kind),
                let row = RegistryBody.row(kind, name, body), let version = Int64(exactly: version)
            else { return nil }
            return Registry.SharedRow(row, version: version)
        }
    }

    /// Takes over what other nodes have changed, and gives the engine again what it had and has lost.
    /// - Throws: `differs` where this node has made something else by itself under a name that is there
    @discardableResult
    package func pull() throws(ForwardingError) -> Registry.Taken {
        let rows = try all()
        let known = Self.byName(rows)
        var lost: [EngineRow] = []
        for (own, version) in try ForwardingError.storing({ () throws(StorageError) in
            try registry.sharedRows()
        }) {
            let other = known[own.key]
            if let version {
                if version > other?.version ?? 0 {
                    lost.append(
                        EngineRow(
                            kind: own.kind.rawValue, name: own.name,
                            version: UInt64(clamping: version), body: RegistryBody.text(of: own)))
                }
            } else if let other, !own.saysTheSame(as: other.row) {
                throw .differs(kind: own.kind, name: own.name)
            }
        }
        if !lost.isEmpty { try insert(lost) }
        return try ForwardingError.storing { () throws(StorageError) in try registry.apply(rows) }
    }

    private static func byName(
        _ rows: [Registry.SharedRow]
    ) -> [RegistryRow.Key: Registry.SharedRow] {
        Dictionary(rows.map { ($0.row.key, $0) }) { $1 }
    }

    /// What the engine has, as far as this program knows its kinds.
    private func all() throws(ForwardingError) -> [Registry.SharedRow] {
        try rows("SELECT kind, name, version, body FROM registry FINAL").compactMap(\.shared)
    }

    /// Makes a change in the engine first and then here. Nothing has changed where it throws, but for what it
    /// says itself, and where it is `unclear`.
    /// - Parameter work: makes it in the registry that it is given
    package func change<T: Sendable>(
        _ work: (Registry) throws(StorageError) -> T
    ) throws(ForwardingError) -> T {
        try pull()
        let (result, changed) = try ForwardingError.storing { () throws(StorageError) in
            try registry.rehearse(work)
        }
        for row in changed { try put(row) }
        return result
    }

    /// Lays everything that this node has into the engine.
    /// - Returns: how many rows were not there
    /// - Throws: `differs` where the engine has something else under a name
    package func layDown() throws(ForwardingError) -> Int {
        let there = Self.byName(try all())
        let here = try ForwardingError.storing { () throws(StorageError) in
            try registry.sharedRows()
        }
        var missing: [RegistryRow] = []
        var lost = 0
        for (row, version) in here {
            let known = there[row.key]
            // One that was shared keeps its version, and may be older than what others have.
            if version != nil {
                lost += known == nil ? 1 : 0
            } else if let known {
                guard row.saysTheSame(as: known.row) else {
                    throw .differs(kind: row.kind, name: row.name)
                }
            } else {
                missing.append(row)
            }
        }
        for row in missing { try put(row) }
        try pull()
        return missing.count + lost
    }

    /// Puts a row into the engine, sees that it is the one that counts, and keeps it here.
    private func put(_ row: RegistryRow) throws(ForwardingError) {
        let before = try versions(of: row)
        let version = max(
            Self.version(at: now(), node: node), (before.last?.version ?? 0) &+ 1)
        let body = RegistryBody.text(of: row)
        let after = try ForwardingError.changing(
            isOneOfSeveral: session.servers.access.shards[Self.shard].count > 1,
            { () throws(ForwardingError) in try insert(row.kind, row.name, version, body) },
            then: { () throws(ForwardingError) in try versions(of: row) })
        let isOurs = after.last.map { $0.version == version && $0.body == body } ?? false
        if before.isEmpty, let first = after.first, first.body != body {
            // Of two that add the same the first one counts.
            if isOurs { try insert(row.kind, row.name, version &+ 1, first.body) }
            try pull()
            throw .outrun(kind: row.kind, name: row.name)
        }
        guard isOurs else {
            try pull()
            throw .outrun(kind: row.kind, name: row.name)
        }
        try ForwardingError.storing { () throws(StorageError) in
            let taken = try registry.apply([.init(row, version: Int64(clamping: version))])
            if let refused = taken.refused.first { throw refused.reason }
        }
    }

    /// What the engine still has of a row's versions, the greatest last.
    private func versions(of row: RegistryRow) throws(ForwardingError) -> [EngineRow] {
        try rows(
            """
            SELECT kind, name, version, body FROM registry
            WHERE kind = \(EngineLiteral.text(row.kind.rawValue))
                AND name = \(EngineLiteral.text(row.name))
            ORDER BY version
            """)
    }

    private func insert(
        _ kind: RegistryRow.Kind, _ name: String, _ version: UInt64, _ body: String
    ) throws(ForwardingError) {
        try insert([EngineRow(kind: kind.rawValue, name: name, version: version, body: body)])
    }

    private func insert(_ all: [EngineRow]) throws(ForwardingError) {
        var rows = RowBinary.Writer()
        for row in all {
            rows.string(row.kind)
            rows.string(row.name)
            rows.uint64(row.version)
            rows.string(row.body)
        }
        try ForwardingError.asking { () throws(EngineError) in
            _ = try session.send(
                .insert(rows.bytes, into: Self.table, Self.columns), toShard: Self.shard)
        }
    }

    private func rows(_ statement: String) throws(ForwardingError) -> [EngineRow] {
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(.read(statement), toShard: Self.shard)
        }
        return try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var rows: [EngineRow] = []
            while !reader.isAtEnd {
                rows.append(
                    EngineRow(
                        kind: try reader.string(), name: try reader.string(),
                        version: try reader.uint64(), body: try reader.string()))
            }
            return rows
        }
    }

    /// ms · 2^5 and five bits of the node's name.
    static func version(at now: Int64, node: String) -> UInt64 {
        UInt64(clamping: now) << RowVersion.nodeBits | RowVersion.bits(ofNode: node)
    }
}

extension RegistryRow {
    /// What a row is of.
    fileprivate struct Key: Hashable {
        let kind: Kind
        let name: String
    }

    fileprivate var key: Key { Key(kind: kind, name: name) }

    /// Whether two nodes that made it each by itself mean the same: when each did is nothing to differ in.
    func saysTheSame(as other: RegistryRow) -> Bool {
        guard case .app(let title, let zone, let timeout, let plain, _) = content,
            case .app(let otherTitle, let otherZone, let otherTimeout, let otherPlain, _) =
                other.content
        else { return content == other.content }
        return title == otherTitle && zone == otherZone && timeout == otherTimeout
            && plain == otherPlain
    }
}
