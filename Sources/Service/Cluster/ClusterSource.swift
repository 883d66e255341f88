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
    /// What was said of the first page; nil: nothing was.
    private var pledge: Pledge?

    /// - Parameter timeout: milliseconds that a report may take
    init(cluster: Cluster, timeout: Int64) { (self.cluster, self.timeout) = (cluster, timeout) }

    func rows(
        _ question: Question, as format: ReportFormat, unless known: [String],
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedRows {
        let reading = try begin(interruption)
        let pledge = try Pledge(reading, cluster.servers, cluster.seen)
        let queries = EngineQueries(reading, interruption)
        let report = try ReportRunner.run(question, queries)
        let body = try interruption.text(
            of: report.size, about: report.textSize(as: format)
        ) { report.rendered(as: format) }
        let tag = EntityTag(version: body, form: format.contentType)
        let fields = [tag.field] + (try pledge.kept(by: reading).map { [$0.field] } ?? [])
        return tag.isNamed(by: known) ? .known(fields) : .body(body, fields)
    }

    /// Only an answer of one page has a tag: of others the end is not known when the head leaves.
    func lines(
        _ question: Question, of device: DeviceHash?, unless known: [String], limit: Int,
        _ connection: Connection, _ interruption: Interruption
    ) throws -> SourcedLines {
        let reading = try begin(interruption)
        let pledge = try Pledge(reading, cluster.servers, cluster.seen)
        let queries = EngineQueries(reading, interruption)
        if let device, try !queries.hasDevice(device, of: question.app) { return .unknownDevice }
        var lines = device.map { ExportLines(of: $0, question) } ?? ExportLines(question)
        let page = try lines.next(queries, limit: limit)
        let kept = try pledge.kept(by: reading)
        var fields = kept.map { [$0.field] } ?? []
        if lines.isDone {
            let tag = EntityTag(version: page.flatMap { $0 }, form: ExportReport.contentType)
            fields.append(tag.field)
            if tag.isNamed(by: known) { return .known(fields) }
        }
        var rest = self
        rest.pledge = kept
        return .page(page, lines, fields, rest: rest)
    }

    func page(
        _ lines: inout ExportLines, limit: Int, _ connection: Connection,
        _ interruption: Interruption
    ) throws -> [[UInt8]] {
        let reading = try reading(interruption)
        if let pledge { reading.prefer(pledge.starts) }
        let page = try lines.next(EngineQueries(reading, interruption), limit: limit)
        if let pledge, try pledge.kept(by: reading) == nil {
            throw QueryError(
                EngineError(
                    .cut,
                    "a server of the engine was started again, or gave way to another, within an answer"
                ))
        }
        return page
    }

    /// Waits until the engine has what this node answered before the question.
    private func begin(_ interruption: Interruption) throws(QueryError) -> EngineReading {
        cluster.forwarder?.settle()
        return try reading(interruption)
    }

    private func reading(_ interruption: Interruption) throws(QueryError) -> EngineReading {
        // An array has up to twice the room of what is in it.
        let room = ReceivedBytes(interruption.account)
        do throws(EngineError) {
            return try EngineReading(
                cluster.servers, timeout: timeout, isUnwanted: { interruption.isRaised },
                received: { room.set(2 * $0) })
        } catch {
            throw QueryError(error)
        }
    }

    /// What a report holds of answers that are not whole yet, and so of those that never will be.
    private final class ReceivedBytes {
        private var held: HeldBytes

        init(_ account: ReportAccount) { held = HeldBytes(account, 0) }

        func set(_ bytes: Int) { held.set(bytes) }
    }
}
