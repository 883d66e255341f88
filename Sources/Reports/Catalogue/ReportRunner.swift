import Database
import Storage

/// From a question to its answer, for the service and the command line alike.
package enum ReportRunner {
    /// Answers a question of a report with rows, in one read transaction, small groups hidden. The
    /// connection is the caller's alone meanwhile. To end it early, raise `interruption` and call
    /// `Connection.interrupt`, again and again until it has ended. Throws what the database throws. A
    /// report of lines has no rows: it is for `ExportPages`.
    package static func run(
        _ question: Question, _ connection: Connection,
        interruption: Interruption = Interruption()
    ) throws(StorageError) -> Report {
        let reading = Reading(connection, interruption)
        return try reading.transaction { () throws(StorageError) in
            try compute(question, reading)
        }
    }

    /// The same beside others, unless the asker knows the answer: then nil. `isKnown` is told its
    /// version, of the data that the report is then computed from.
    package static func run(
        _ question: Question, _ connection: Connection, interruption: Interruption,
        _ environment: ReportEnvironment, unless isKnown: (_ version: [UInt8]) -> Bool
    ) throws(StorageError) -> Report? {
        let reading = Reading(connection, interruption, environment)
        return try reading.transaction { () throws(StorageError) in
            let version = try AnswerVersion.octets(of: question, reading)
            return isKnown(version) ? nil : try compute(question, reading)
        }
    }

    /// The version of the answer to a question, for answers that are not computed whole. Throws what
    /// the database throws.
    package static func version(
        _ question: Question, _ connection: Connection, interruption: Interruption,
        _ environment: ReportEnvironment
    ) throws(StorageError) -> [UInt8] {
        let reading = Reading(connection, interruption, environment)
        return try reading.transaction { () throws(StorageError) in
            try AnswerVersion.octets(of: question, reading)
        }
    }

    /// Answers a question of a report with rows, small groups hidden, within the caller's transaction.
    static func compute(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        guard case .rows(let compute) = question.definition.answer else {
            return Report(question, rows: [])
        }
        var report = try compute(question, reading)
        try reading.check()
        report.hideSmallGroups(below: question.settings.minGroup, by: question.definition)
        return report
    }

    /// The same from a report's name and parameters. Throws `ReportError` or `StorageError`.
    package static func run(
        name: String, _ list: ParameterList, app: ReportApp, now: Int64, settings: ReportSettings,
        _ connection: Connection
    ) throws -> Report {
        let definition = try ReportDefinition.named(name)
        let question = try Question(definition, list, app: app, now: now, settings: settings)
        return try run(question, connection)
    }
}
