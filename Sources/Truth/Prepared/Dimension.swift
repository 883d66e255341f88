/// What of a batch's resource reports filter by.
enum Dimension: String, CaseIterable, Sendable {
    case osName = "os.name"
    case osVersion = "os.version"
    case serviceVersion = "service.version"
    case model = "device.model.identifier"

    /// Its index among `allCases`.
    var index: Int {
        switch self {
        case .osName: 0
        case .osVersion: 1
        case .serviceVersion: 2
        case .model: 3
        }
    }

    /// What a resource says; `unknown` where it says nothing, or an empty text (docs/protocol.md, The batch).
    func value(in resource: ToldResource) -> String {
        let given =
            switch self {
            case .osName: resource.osName
            case .osVersion: resource.osVersion
            case .serviceVersion: resource.serviceVersion
            case .model: resource.model
            }
        return given.known
    }
}

extension String? {
    /// The text; `unknown` for none and an empty one.
    var known: String { self.flatMap { $0.isEmpty ? nil : $0 } ?? "unknown" }
}
