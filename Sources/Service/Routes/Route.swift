/// Where a request goes, from the bytes of its path (docs/protocol.md, Endpoints;
/// docs/operation.md, HTTP).
enum Route: Equatable {
    case batches(app: String)
    case legacy(key: String)
    /// OTLP's logs.
    case logs
    /// What OTLP has besides: it is not taken.
    case otherSignal
    case dashboard
    case reportIndex
    case report(name: String)
    case device(hash: String)
    case live
    case ready
    case metrics
    case control
    /// `OPTIONS *`, the server itself.
    case server

    init?(path: Span<UInt8>) {
        let text = Self.ascii(path)
        let parts = text.split(separator: "/", maxSplits: 6, omittingEmptySubsequences: false)
        guard parts.first == "" else { return nil }
        switch parts.count {
        case 2 where parts[1].isEmpty: self = .dashboard
        case 2 where parts[1] == "livez": self = .live
        case 2 where parts[1] == "readyz": self = .ready
        case 2 where parts[1] == "metrics": self = .metrics
        case 2 where parts[1] == "report": self = .reportIndex
        case 2 where parts[1] == "control": self = .control
        case 3 where parts[1] == "v1" && parts[2] == "logs": self = .logs
        case 3 where Self.otherSignals.contains(text): self = .otherSignal
        case 3 where parts[1] == "report" && !parts[2].isEmpty:
            self = .report(name: String(parts[2]))
        case 4 where parts[1] == "report" && parts[2] == "devices" && !parts[3].isEmpty:
            self = .device(hash: String(parts[3]))
        case 4 where parts[1] == "v1" && parts[2] == "legacy" && Self.isName(parts[3]):
            self = .legacy(key: String(parts[3]))
        case 5
        where parts[1] == "v1" && parts[2] == "apps" && parts[4] == "batches"
            && Self.isName(parts[3]):
            self = .batches(app: String(parts[3]))
        default: return nil
        }
    }

    /// The methods that it answers.
    var methods: String {
        switch self {
        case .batches, .legacy, .logs, .otherSignal, .control: "POST, OPTIONS"
        case .dashboard, .reportIndex, .report, .device, .live, .ready, .metrics:
            "GET, HEAD, OPTIONS"
        case .server: "GET, HEAD, POST, OPTIONS"
        }
    }

    var takesPost: Bool {
        switch self {
        case .batches, .legacy, .logs, .control: true
        default: false
        }
    }

    var isIngest: Bool {
        switch self {
        case .batches, .legacy, .logs: true
        default: false
        }
    }

    /// Of traces, metrics and profiles (OTLP/HTTP).
    private static let otherSignals: Set<String> = [
        "/v1/traces", "/v1/metrics", "/v1development/profiles",
    ]

    /// `[A-Za-z0-9_-]{1,32}`: what apps and keys are called.
    static func isName(_ text: Substring) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x2D
            }
    }

    /// A path as text; one with bytes that no route has is as good as empty.
    private static func ascii(_ path: Span<UInt8>) -> String {
        guard path.count <= 256 else { return "" }
        return path.withUnsafeBufferPointer { bytes in
            bytes.allSatisfy({ $0 < 128 }) ? String(decoding: bytes, as: UTF8.self) : ""
        }
    }
}

extension RouteLabel {
    init(_ route: Route?) {
        switch route {
        case .batches: self = .batches
        case .legacy: self = .legacy
        case .logs: self = .logs
        case .otherSignal: self = .none
        case .dashboard: self = .dashboard
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
}

/// What a listener is for: which routes stand on it (docs/operation.md, Settings and HTTP).
struct RouteSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let devices = RouteSet(rawValue: 1)
    static let reports = RouteSet(rawValue: 2)
    static let metrics = RouteSet(rawValue: 4)
    static let control = RouteSet(rawValue: 8)
    static let dashboard = RouteSet(rawValue: 16)

    /// Probes stand on every listener.
    func has(_ route: Route) -> Bool {
        switch route {
        case .batches, .legacy, .logs, .otherSignal: contains(.devices)
        case .dashboard: contains(.dashboard)
        case .reportIndex, .report, .device: contains(.reports)
        case .metrics: contains(.metrics)
        case .control: contains(.control)
        case .live, .ready, .server: true
        }
    }
}
