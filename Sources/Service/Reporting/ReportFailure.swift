import Engine
import Logging
import Query
import Reports

/// Why a report has no answer.
enum ReportFailure: Error, Sendable {
    /// It computed for longer than `report-timeout`.
    case timeout
    /// It held more than `report-memory` leaves it.
    case tooLarge
    /// Too many waited, and it gave way to another token's.
    case overloaded
    /// The server ends.
    case closing
    case database(QueryError)
}

extension ReportFailure {
    /// What its reader gets; our own faults are logged.
    func problem(_ logger: Logging.Logger) -> Problem {
        switch self {
        case .timeout: return Problem(.reportTimeout)
        case .tooLarge: return Problem(.reportTooLarge)
        case .overloaded: return Problem(.overloaded)
        case .closing: return Problem(.shuttingDown)
        case .database(let error) where error.isInterruption: return Problem(.reportTimeout)
        case .database(let error) where error.isOfEngine:
            return Problem(.engineUnavailable, detail: "\(error).")
        case .database(let error):
            logger.error("a report failed: \(error)")
            return Problem(.internalError)
        }
    }

    /// Logs why an answer that has begun ends before its last line: its reader only sees that it does.
    func note(ofStream name: String, _ logger: Logging.Logger) {
        switch self {
        case .timeout:
            logger.warning(
                "an answer of \(name) was broken off: a page of it computed longer than report-timeout"
            )
        case .tooLarge:
            logger.warning(
                "an answer of \(name) was broken off: a page of it held more than report-memory leaves"
            )
        case .overloaded: break
        case .closing:
            logger.notice("an answer of \(name) was broken off: the server stops")
        case .database(let error):
            logger.error("an answer of \(name) was broken off: \(error)")
        }
    }
}

extension QueryError {
    /// The engine has not answered, or something else than was asked.
    var isOfEngine: Bool { cause is EngineError || cause is RowBinary.Failure }
}

extension Problem {
    /// What a report refuses. Half sentences become whole ones.
    init(report error: ReportError) {
        let code: ProblemCode
        switch error.code {
        case .unknownReport: code = .unknownReport
        case .unknownApp: code = .unknownApp
        case .missingParameter: code = .missingParameter
        case .unknownParameter: code = .unknownParameter
        case .invalidParameter: code = .invalidParameter
        case .timeZoneGone:
            self.init(.timeZoneGone, detail: "On the server " + error.detail + ".")
            return
        }
        self.init(code, detail: "Parameter: " + error.detail + ".")
    }
}
