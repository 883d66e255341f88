import Database
import Engine
import EngineQuery
import Events
import Forwarding
import HTTP1
import Query
import Reports

/// Answers from the engine, of all nodes (docs/scale.md, Reports).
struct ClusterSource: ReportSource {
    let cluster: Cluster
    /// Milliseconds that a report may take.
    let timeout: Int64

    func rows(
        _ question: Question, as format: ReportFormat, unless known: [String],
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedRows {
        let reading = try begin(interruption)
        let completeTo = try reading.completeTo(of: cluster.servers)
        let queries = EngineQueries(reading, interruption)
        let report = try ReportRunner.run(question, queries)
        let body = try interruption.text(
            of: report.size, about: report.textSize(as: format)
        ) { report.rendered(as: format) }
        let tag = EntityTag(version: body, form: format.contentType)
        let fields = [tag.field] + field(completeTo, reading)
        return tag.isNamed(by: known) ? .known(fields) : .body(body, fields)
    }

    /// Only an answer of one page has a tag: of others the end is not known when the head leaves.
    func lines(
        _ question: Question, of device: DeviceHash?, unless known: [String], limit: Int,
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedLines {
        let reading = try begin(interruption)
        let completeTo = try reading.completeTo(of: cluster.servers)
        let queries = EngineQueries(reading, interruption)
        if let device, try !queries.hasDevice(device, of: question.app) { return .unknownDevice }
        var lines = device.map { ExportLines(of: $0, question) } ?? ExportLines(question)
        let page = try lines.next(queries, limit: limit)
        var fields = field(completeTo, reading)
        if lines.isDone {
            let tag = EntityTag(version: page, form: ExportReport.contentType)
            fields.append(tag.field)
            if tag.isNamed(by: known) { return .known(fields) }
        }
        return .page(page, lines, fields)
    }

    func page(
        _ lines: inout ExportLines, limit: Int, _ connection: Connection,
        _ interruption: Interruption
    ) throws -> [UInt8] {
        let reading = try reading(interruption)
        return try lines.next(EngineQueries(reading, interruption), limit: limit)
    }

    /// Waits until the engine has what this node answered before the question.
    private func begin(_ interruption: Interruption) throws(QueryError) -> EngineReading {
        cluster.forwarder?.settle()
        return try reading(interruption)
    }

    private func reading(_ interruption: Interruption) throws(QueryError) -> EngineReading {
        do throws(EngineError) {
            return try EngineReading(cluster.servers, timeout: timeout) {
                interruption.isRaised
            }
        } catch {
            throw QueryError(error)
        }
    }

    /// `Sojourn-Complete-To`, where it can be told.
    private func field(_ completeTo: Int64?, _ reading: EngineReading) -> [HeaderField] {
        guard let completeTo, !reading.hasMoved else { return [] }
        return [HeaderField("Sojourn-Complete-To", String(completeTo))]
    }
}

extension EngineReading {
    /// The moment before which all that any node answered 200 is in what these servers answer from now on,
    /// milliseconds since 1970 by the engine's clock; nil where that cannot be told.
    func completeTo(of servers: EngineServers) throws(QueryError) -> Int64? {
        do throws(EngineError) {
            // Before the table of nodes: a node that is here has taken back there what a server may have lost.
            let alive = try read(AliveTable.statement)
            let answer = try read(NodeTable.statement, shard: NodeTable.shard)
            let entries: [NodeTable.Entry]
            do throws(ForwardingError) { entries = try NodeTable.entries(answer) } catch {
                return nil
            }
            // After the question before: what that has seen, each replica has then.
            for (shard, replicas) in servers.access.shards.enumerated()
            where replicas.count > 1 {
                let isCaughtUp = try ReplicaState.isCaughtUp(servers.access) {
                    (statement) throws(EngineError) in try read(statement, shard: shard)
                }
                guard isCaughtUp else { return nil }
            }
            let counted = Set(entries.lazy.filter { !$0.isRetired }.map(\.name))
            for (shard, answer) in alive.enumerated()
            where servers.access.shards[shard].count == 1 {
                guard let names = try? AliveTable.names(answer), counted.isSubset(of: names) else {
                    return nil
                }
            }
            return NodeTable.completeTo(entries)
        } catch {
            throw QueryError(error)
        }
    }
}
