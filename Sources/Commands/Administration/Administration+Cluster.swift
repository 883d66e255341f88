import Database
import Service
import Storage

extension Administration {
    /// Asks the engine.
    func cluster<T>(_ work: (ClusterReader) throws -> T) throws -> T {
        try clusterAndDatabase { cluster, _ in try work(cluster) }
    }

    /// Asks the engine and the node's own database.
    func clusterAndDatabase<T>(_ work: (ClusterReader, Connection) throws -> T) throws -> T {
        guard let forward = settings.forward else { throw AdminFailure.noEngine }
        return try reading { _, connection, key in
            try work(try ClusterReader(forward, key), connection)
        }
    }
}
