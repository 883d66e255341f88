import Storage

/// Why a report has no answer.
enum ReportFailure: Error, Sendable {
    /// It computed for longer than `report-timeout`.
    case timeout
    /// The server ends.
    case closing
    case database(StorageError)
}

extension ServiceCore {
    /// What its reader is told; ours to fix is logged.
    func problem(of failure: ReportFailure) -> Problem {
        switch failure {
        case .timeout: Problem(.reportTimeout)
        case .closing: Problem(.shuttingDown)
        case .database(let error): problem(ofReport: error)
        }
    }
}
