import Reports

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
        }
        self.init(code, detail: "Parameter: " + error.detail + ".")
    }
}
