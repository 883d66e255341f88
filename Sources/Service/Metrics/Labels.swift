/// A route as a label: a path's template, never the path.
enum RouteLabel: Int, CaseIterable {
    case batches, legacy, logs, dashboard, reportIndex, report, device, live, ready, metrics,
        control,
        server
    /// No route of this listener, or not even a request.
    case none

    var text: String {
        switch self {
        case .batches: "/v1/apps/{app}/batches"
        case .legacy: "/v1/legacy/{key}"
        case .logs: "/v1/logs"
        case .dashboard: "/"
        case .reportIndex: "/report"
        case .report: "/report/{name}"
        case .device: "/report/devices/{hash}"
        case .live: "/livez"
        case .ready: "/readyz"
        case .metrics: "/metrics"
        case .control: "/control"
        case .server: "*"
        case .none: "none"
        }
    }
}

/// A status as a label: those that are ever sent, and one label for any other.
enum StatusLabel {
    /// In order; the last is everything else.
    static let texts: [String] = statuses.map(String.init) + ["other"]

    private static let statuses = Set([200, 204, 304] + ProblemCode.allCases.map(\.status)).sorted()

    private static let indexByStatus: [UInt8] = (100..<600).map { status in
        UInt8(statuses.firstIndex(of: status) ?? statuses.count)
    }

    static func index(of status: Int) -> Int {
        let known = status - 100
        return Int(
            indexByStatus.indices.contains(known) ? indexByStatus[known] : UInt8(statuses.count))
    }
}

/// What became of a batch, as a label.
enum BatchOutcome: Equatable {
    case accepted
    case duplicate
    case dryRun
    case refused(ProblemCode)

    /// In the order of their indices.
    static let all: [BatchOutcome] =
        [.accepted, .duplicate, .dryRun] + ProblemCode.allCases.map(BatchOutcome.refused)

    private static let codes = Dictionary(
        uniqueKeysWithValues: ProblemCode.allCases.enumerated().map { ($1, $0) })

    var index: Int {
        switch self {
        case .accepted: 0
        case .duplicate: 1
        case .dryRun: 2
        case .refused(let code): 3 + (Self.codes[code] ?? 0)
        }
    }

    var label: String {
        switch self {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .dryRun: "dry-run"
        case .refused(let code): code.rawValue
        }
    }
}
