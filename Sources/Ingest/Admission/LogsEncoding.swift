/// How an `ExportLogsServiceRequest` is encoded, and its answer (OTLP/HTTP).
package enum LogsEncoding: Hashable, Sendable, CaseIterable {
    case protobuf
    case json

    /// As `Content-Type` and `Accept` name it.
    package var mediaType: StaticString {
        switch self {
        case .protobuf: "application/x-protobuf"
        case .json: "application/json"
        }
    }

    /// What a `Content-Type` says, whatever its parameters; nil where it is neither.
    package init?(contentType: String) {
        let type = BodyFormat.mediaType(contentType)
        let found = Self.allCases.first { $0.mediaType.description == type }
        guard let found else { return nil }
        self = found
    }
}
