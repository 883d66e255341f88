import Curl
import Synchronization

/// What is known of the engine's servers, for all sessions together.
package final class EngineServers: Sendable {
    /// What is known of one.
    struct Knowledge: Sendable {
        /// Which of the settings it was asked about it knows.
        var settings: Set<String>?
        /// It is the shard that it should be, of this master key, with tables that this program can use.
        var isVerified = false
    }

    /// How they are reached.
    package let access: EngineAccess
    /// What they have to be; nil where that is not known or not asked yet.
    package let identity: EngineIdentity?
    private let known = Mutex<[String: Knowledge]>([:])
    /// Which replica of each shard answered last.
    private let preferred: Mutex<[Int]>

    /// Nothing is asked yet.
    /// - Parameter identity: what each server has to be; nil: anything, as before its tables are made
    package init(_ access: EngineAccess, identity: EngineIdentity?) {
        self.access = access
        self.identity = identity
        preferred = Mutex(Array(repeating: 0, count: access.shards.count))
    }

    /// The replicas of a shard in the order in which they are to be tried: the one that answered last first.
    func replicas(ofShard shard: Int) -> [ServerAddress] {
        let all = access.shards[shard]
        let first = preferred.withLock { $0[shard] }
        return Array(all[first...] + all[..<first])
    }

    func prefer(_ server: ServerAddress, ofShard shard: Int) {
        guard let index = access.shards[shard].firstIndex(of: server) else { return }
        preferred.withLock { $0[shard] = index }
    }

    /// It failed: if it was the first to be tried, the next replica of its shard is now.
    func passOver(_ server: ServerAddress, ofShard shard: Int) {
        forget(server)
        guard let index = access.shards[shard].firstIndex(of: server) else { return }
        let count = access.shards[shard].count
        preferred.withLock { if $0[shard] == index { $0[shard] = (index + 1) % count } }
    }

    func knowledge(of server: ServerAddress) -> Knowledge {
        known.withLock { $0[server.origin] } ?? Knowledge()
    }

    func learn(_ knowledge: Knowledge, of server: ServerAddress) {
        known.withLock { $0[server.origin] = knowledge }
    }

    /// It failed: another may stand in its place when it answers again.
    func forget(_ server: ServerAddress) {
        known.withLock { $0[server.origin] = nil }
    }
}
