import Database
import Engine
import EngineQuery
import Forwarding
import Query
import Storage

/// What a command asks the engine that changes nothing on the node: beside a running server, too.
package struct ClusterReader {
    package let servers: EngineServers
    private let session: EngineSession

    /// - Parameter key: the nodes'
    package init(_ settings: ForwardSettings, _ key: MasterKey) throws(AdminFailure) {
        servers = EngineServers(
            try settings.access(), identity: .of(key, shards: settings.shards.count))
        do throws(EngineError) { session = try EngineSession(servers) } catch {
            throw AdminFailure(error)
        }
    }

    /// All nodes in the order of their names.
    package func nodes() throws(AdminFailure) -> [NodeTable.Entry] {
        try asking { () throws(ForwardingError) in try NodeTable.all(session) }
    }

    /// From now on nobody waits for a node.
    /// - Throws: a failure of kind `dataError` where there is none of that name
    package func retire(_ name: String) throws(AdminFailure) {
        let isThere = try asking { () throws(ForwardingError) in
            try NodeTable.retire(name, session)
        }
        guard isThere else {
            throw AdminFailure(
                .dataError, "no node '\(name)'; 'sojourn node list' names those there are")
        }
    }

    /// Looks whether the engine has what the spool holds as handed over.
    /// - Parameter connection: to the node's database
    package func verify(
        _ connection: Connection, progress: (_ done: Int64, _ total: Int64) -> Void
    ) throws(AdminFailure) -> EngineVerification.Outcome {
        try asking { () throws(ForwardingError) in
            try EngineVerification(connection, session).run(progress: progress)
        }
    }

    /// Has the engine answer, of all nodes.
    /// - Parameters:
    ///   - connection: to the node's database, of which it is waited a short while that it is handed over
    ///   - timeout: milliseconds for all questions together
    ///   - work: asks, and makes all of the answer
    /// - Returns: also the moment before which nothing is missing, milliseconds since 1970; nil where that
    ///   cannot be told
    package func answer<T>(
        _ connection: Connection, timeout: Int64, _ work: (any Queries) throws -> T
    ) throws -> (answer: T, completeTo: Int64?) {
        try HandOverMarks.wait(on: connection)
        let reading = try EngineReading(servers, timeout: timeout) { false }
        let pledge = try Pledge(reading, servers)
        let answer = try work(EngineQueries(reading))
        return (answer, try pledge.kept(by: reading)?.completeTo)
    }

    /// What `doctor` tells of the engine and of how far a node is.
    /// - Parameters:
    ///   - node: its name
    ///   - connection: to the node's database
    package func report(of node: String, _ connection: Connection) throws -> ClusterReport {
        try asking { () throws(ForwardingError) in
            try ClusterReport(of: node, session, connection, now: Timestamp.milliseconds)
        }
    }

    private func asking<T>(
        _ work: () throws(ForwardingError) -> T
    ) throws(AdminFailure) -> T {
        do throws(ForwardingError) { return try work() } catch { throw AdminFailure(error) }
    }
}
