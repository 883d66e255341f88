/// A route as a label: a path's template, never the path.
enum RouteLabel: Int, CaseIterable {
    case batches, legacy, reportIndex, report, device, live, ready, metrics, control, server
    /// No route of this listener, or not even a request.
    case none

    init(_ route: Route?) {
        switch route {
        case .batches: self = .batches
        case .legacy: self = .legacy
        case .reportIndex: self = .reportIndex
        case .report: self = .report
        case .device: self = .device
        case .live: self = .live
        case .ready: self = .ready
        case .metrics: self = .metrics
        case .control: self = .control
        case .server: self = .server
        case nil: self = .none
        }
    }

    var text: String {
        switch self {
        case .batches: "/v1/apps/{app}/batches"
        case .legacy: "/v1/legacy/{key}"
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
