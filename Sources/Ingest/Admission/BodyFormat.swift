import Events

/// What a body claims to be: path, `Content-Type` and `Content-Encoding` decide, never its bytes
/// (docs/protocol.md, Endpoints).
package struct BodyFormat: Equatable, Sendable {
    package let profile: Profile
    /// Whether what it holds lies inside a gzip member.
    package let isGzipped: Bool
    /// Of a request for the logs endpoint; nil for any other.
    package let logs: LogsEncoding?

    /// What the legacy endpoint takes: nothing in the header counts.
    package static let legacy = BodyFormat(profile: .legacy, isGzipped: true)

    /// The format of a body for the batches endpoint.
    /// - Parameters:
    ///   - contentType: the field's value, nil where it is absent
    ///   - codings: the values of all `Content-Encoding` lines, in order
    package init(contentType: String?, codings: [String]) throws(BatchRefusal) {
        guard let type = contentType.flatMap(Self.mediaType) else { throw .unsupportedMediaType }
        switch (type, Self.names(codings)) {
        case ("application/json", ["gzip", "aes128gcm"]):
            self.init(profile: .aes128gcm, isGzipped: true)
        case ("application/json", ["aes128gcm"]):
            self.init(profile: .aes128gcm, isGzipped: false)
        case ("application/json", []), ("application/json", ["identity"]):
            self.init(profile: .plain, isGzipped: false)
        case ("application/json", ["gzip"]), ("application/json", ["x-gzip"]):
            self.init(profile: .plain, isGzipped: true)
        case ("application/jose", []):
            self.init(profile: .jwe, isGzipped: false)
        case ("application/json", _), ("application/jose", _):
            throw .unsupportedEncoding
        default:
            throw .unsupportedMediaType
        }
    }

    /// The format of a body for the logs endpoint (docs/opentelemetry.md).
    /// - Parameters:
    ///   - logs: what its `Content-Type` says
    ///   - codings: the values of all `Content-Encoding` lines, in order
    package init(logs: LogsEncoding, codings: [String]) throws(BatchRefusal) {
        switch Self.names(codings) {
        case [], ["identity"]: self.init(profile: .otlp, isGzipped: false, logs: logs)
        case ["gzip"], ["x-gzip"]: self.init(profile: .otlp, isGzipped: true, logs: logs)
        default: throw .unsupportedEncoding
        }
    }

    private init(profile: Profile, isGzipped: Bool, logs: LogsEncoding? = nil) {
        self.profile = profile
        self.isGzipped = isGzipped
        self.logs = logs
    }

    private static func names(_ codings: [String]) -> [String] {
        codings.flatMap { $0.split(separator: ",") }
            .map { trimmed($0).lowercased() }.filter { !$0.isEmpty }
    }

    /// Type and subtype in small letters, without parameters (RFC 9110 §8.3.1).
    static func mediaType(_ value: String) -> String? {
        // By bytes: Swift takes the Greek question mark for a semicolon.
        value.utf8.split(
            separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false
        )
        .first.map { trimmed(Substring($0)).lowercased() }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 32 || first == 9 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 32 || last == 9 { text = text.dropLast() }
        return text
    }
}
