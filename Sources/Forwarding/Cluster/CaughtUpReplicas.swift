import Curl
import Database
import Engine

/// A replica of each shard that has all rows that other replicas have.
enum CaughtUpReplicas {
    /// Milliseconds between two looks, and for how long.
    private static let pause: UInt32 = 100
    private static let patience: UInt32 = 60_000

    /// Waits for those that were used last.
    /// - Throws: `timeout` where one does not catch up within a minute
    static func choose(
        _ session: EngineSession, _ polling: Polling
    ) throws(EngineError) -> [ServerAddress] {
        let servers = try session.currentServers()
        for (shard, server) in servers.enumerated()
        where session.servers.access.shards[shard].count > 1 {
            let hasCaughtUp: Bool? = try polling.first(every: pause, for: patience) {
                () throws(EngineError) -> Bool? in
                let isCaughtUp = try ReplicaState.isCaughtUp(session.servers.access) {
                    (statement) throws(EngineError) in
                    try session.send(.read(statement), to: server, shard: shard)
                }
                return isCaughtUp ? true : nil
            }
            guard hasCaughtUp != nil else {
                throw EngineError(
                    .timeout,
                    "engine \(server.origin) has not caught up with other replicas for a minute: "
                        + "look at its system.replicas")
            }
        }
        return servers
    }
}
