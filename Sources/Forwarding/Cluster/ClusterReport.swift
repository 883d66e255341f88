import Database
import Engine
import Storage

/// How an engine and one of its nodes are: what `sojourn doctor` looks at. Milliseconds.
package struct ClusterReport: Sendable, Equatable {
    /// How long ago it was that everything the node answered was handed over; nil: it never was.
    package var lag: Int64?
    /// The node's clock less the engine's, as far as they surely differ.
    package var clockOffset: Int64 = 0
    /// When another node last handed over under the node's name, since 1970; nil: none was seen.
    package var twin: Int64?
    /// Servers that do not write what they store to the disk before they say so.
    package var unsynced: [String] = []

    /// All of it as given.
    package init(
        lag: Int64? = nil, clockOffset: Int64 = 0, twin: Int64? = nil, unsynced: [String] = []
    ) {
        (self.lag, self.clockOffset, self.twin) = (lag, clockOffset, twin)
        self.unsynced = unsynced
    }

    /// Asks every server.
    /// - Parameters:
    ///   - connection: to the node's database
    ///   - now: the node's clock, since 1970
    package init(
        of node: String, _ session: EngineSession, _ connection: Connection, now: Int64
    ) throws(ForwardingError) {
        for (shard, replicas) in session.servers.access.shards.enumerated() {
            for server in replicas {
                let known = try ForwardingError.asking { () throws(EngineError) in
                    try session.send(
                        .read(
                            """
                            SELECT name FROM system.merge_tree_settings
                            WHERE name = 'fsync_after_insert'
                            """), to: server, shard: shard)
                }
                if known.isEmpty { unsynced.append(server.origin) }
            }
        }
        let pulse = try EnginePulse(
            ForwardingError.asking { () throws(EngineError) in
                try session.send(
                    .read(EnginePulse.statement(node)), toShard: NodeTable.shard)
            })
        // Of the engine's clock whole seconds are known.
        let ahead = now - (pulse.seconds * 1000 + 999)
        let behind = now - pulse.seconds * 1000
        clockOffset = ahead > 0 ? ahead : min(behind, 0)
        let entry = try NodeTable.all(session).first { $0.name == node }
        lag = entry?.completeTo.map { max(0, pulse.seconds * 1000 - $0) }
        twin = try ForwardingError.storing { () throws(StorageError) in
            try connection.fact(NodeTwin.fact)
        }
    }
}
