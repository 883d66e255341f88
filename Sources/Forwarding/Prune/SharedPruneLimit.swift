import Engine

/// The one row of kind `prune` in the engine's `registry`.
package struct SharedPruneLimit {
    private let session: EngineSession
    private let node: String

    private static let kind = "prune"
    /// Tries to be the one whose row counts, while others announce prunes, too.
    private static let tries = 5

    /// - Parameter node: this node's name
    package init(_ session: EngineSession, node: String) {
        (self.session, self.node) = (session, node)
    }

    /// The last prune; nil where none has been.
    package func last() throws(ForwardingError) -> PruneLimit? { try row()?.limit }

    /// Tells all nodes of a prune.
    /// - Parameters:
    ///   - limit: milliseconds since 1970
    ///   - now: the same
    ///   - ownDay: by which prune this node's spool is pruned
    func announce(
        _ limit: Int64, at now: Int64, ownDay: Int64
    ) throws(ForwardingError) -> PruneLimit {
        for _ in 0..<Self.tries {
            let known = try row()
            let next = PruneLimit(
                after: known?.limit, limit: limit, at: now, node: node, ownDay: ownDay)
            if try put(next, after: known, now: now) { return next }
        }
        throw .engine(
            EngineError(.exception, "other nodes announce prunes at the same time; try again"))
    }

    /// Tells all nodes that the engine has no event any more that was to go. Does nothing where another prune
    /// was announced meanwhile.
    func finish(_ limit: PruneLimit) throws(ForwardingError) {
        guard let known = try row(), known.limit == limit else { return }
        var done = limit
        done.isDone = true
        _ = try put(done, after: known, now: limit.at)
    }

    /// - Returns: whether it is the row that counts now
    private func put(
        _ limit: PruneLimit, after known: (limit: PruneLimit?, version: UInt64)?, now: Int64
    ) throws(ForwardingError) -> Bool {
        let version = max(
            SharedRegistry.version(at: now, node: node), (known?.version ?? 0) &+ 1)
        var rows = RowBinary.Writer()
        rows.string(Self.kind)
        rows.string("")
        rows.uint64(version)
        rows.string(limit.text)
        let request = EngineRequest.insert(
            rows.bytes, into: SharedRegistry.table, SharedRegistry.columns)
        return try ForwardingError.changing(
            isOneOfSeveral: session.servers.access.shards[SharedRegistry.shard].count > 1,
            { () throws(ForwardingError) in
                try ForwardingError.asking { () throws(EngineError) in
                    _ = try session.send(request, toShard: SharedRegistry.shard)
                }
            }, then: { () throws(ForwardingError) in try row()?.limit == limit })
    }

    private func row() throws(ForwardingError) -> (limit: PruneLimit?, version: UInt64)? {
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(
                .read(
                    """
                    SELECT version, body FROM registry FINAL
                    WHERE kind = \(EngineLiteral.text(Self.kind)) AND name = ''
                    """), toShard: SharedRegistry.shard)
        }
        return try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            if reader.isAtEnd { return nil }
            let version = try reader.uint64()
            return (PruneLimit(try reader.string()), version)
        }
    }
}
