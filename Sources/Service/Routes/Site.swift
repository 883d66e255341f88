/// What a listener is for: which routes stand on it (docs/operation.md, Settings and HTTP).
struct Site: OptionSet, Sendable {
    let rawValue: UInt8

    static let devices = Site(rawValue: 1)
    static let reports = Site(rawValue: 2)
    static let metrics = Site(rawValue: 4)
    static let control = Site(rawValue: 8)

    /// Probes stand on every listener.
    func has(_ route: Route) -> Bool {
        switch route {
        case .batches, .legacy: contains(.devices)
        case .reportIndex, .report, .device: contains(.reports)
        case .metrics: contains(.metrics)
        case .control: contains(.control)
        case .live, .ready, .server: true
        }
    }
}
