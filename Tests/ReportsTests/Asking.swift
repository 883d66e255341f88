import Database
import Events
import Query
import Reports

@testable import Storage

extension ReportRunner {
    /// The answer from a database, as a command gives it.
    static func run(
        _ question: Question, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(QueryError) -> Report {
        try SegmentQueries(connection, interruption).transaction {
            (queries) throws(QueryError) in try run(question, queries)
        }
    }

    /// The same as the service gives it: nil where the asker knows the answer.
    static func run(
        _ question: Question, _ connection: Connection, interruption: Interruption,
        _ environment: ReportEnvironment, unless isKnown: (_ version: [UInt8]) -> Bool
    ) throws(QueryError) -> Report? {
        try SegmentQueries(connection, interruption, environment).answer(
            question.scope, to: question.version, from: question.definition.sources,
            unless: isKnown
        ) { (queries) throws(QueryError) in try run(question, queries) }
    }

    /// The version of the answer.
    static func version(
        _ question: Question, _ connection: Connection, interruption: Interruption,
        _ environment: ReportEnvironment
    ) throws(QueryError) -> [UInt8] {
        try SegmentQueries(connection, interruption, environment).version(
            question.scope, of: question.version, from: question.definition.sources)
    }
}

extension Error {
    /// Whether a report was ended, or a statement of it.
    var isInterruption: Bool {
        (self as? QueryError)?.isInterruption ?? (self as? StorageError)?.isInterruption ?? false
    }
}

extension ExportLines {
    /// The next lines, whose pieces are put together.
    mutating func text(_ queries: any Queries, limit: Int) throws(QueryError) -> [UInt8] {
        var text: [UInt8] = []
        for piece in try next(queries, limit: limit) { text += piece }
        return text
    }

    /// The next lines from a database, as the service has them.
    mutating func next(
        _ connection: Connection, limit: Int, interruption: Interruption = Interruption(),
        _ environment: ReportEnvironment = ReportEnvironment()
    ) throws(QueryError) -> [UInt8] {
        try SegmentQueries(connection, interruption, environment).transaction {
            (queries) throws(QueryError) in
            try text(queries, limit: limit)
        }
    }

    /// The lines of one device that answer a question; nil where the app has no such device.
    init?(
        of hash: DeviceHash, _ question: Question, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(QueryError) {
        let queries = SegmentQueries(connection, interruption)
        guard try queries.hasDevice(hash, of: question.app) else { return nil }
        self.init(of: hash, question)
    }
}
