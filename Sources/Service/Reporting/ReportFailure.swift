import Database
import Storage

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
    case database(StorageError)
}

extension ServiceCore {
    /// What its reader is told; ours to fix is logged.
    func problem(of failure: ReportFailure) -> Problem {
        switch failure {
        case .timeout: Problem(.reportTimeout)
        case .tooLarge: Problem(.reportTooLarge)
        case .overloaded: Problem(.overloaded)
        case .closing: Problem(.shuttingDown)
        case .database(let error): problem(ofReport: error)
        }
    }

    /// Logs why an answer that has begun ends before its last line: its reader only sees that it does.
    func note(_ failure: ReportFailure, ofStream name: String) {
        switch failure {
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
