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

extension ExportPages {
    /// The lines that answer a question.
    init(_ question: Question, _ environment: ReportEnvironment = ReportEnvironment()) {
        self.init(question.scope, after: question.after, environment)
    }

    /// The lines of one device that answer a question.
    init?(
        of hash: DeviceHash, _ question: Question, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(StorageError) {
        try self.init(
            of: hash, question.scope, isRangeGiven: question.isRangeGiven, connection,
            interruption: interruption)
    }
}
