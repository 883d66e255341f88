/// How a batch was sealed, or that OpenTelemetry's protocol brought it (docs/protocol.md, Endpoints). The raw value is what the column
/// `batch.profile` holds.
package enum Profile: UInt8, CaseIterable, Sendable {
    case aes128gcm = 1
    case jwe = 2
    case plain = 3
    case legacy = 4
    /// OTLP/HTTP (docs/opentelemetry.md).
    case otlp = 5

    /// The word for it in keys, reports and settings.
    package var name: String {
        switch self {
        case .aes128gcm: "aes128gcm"
        case .jwe: "jwe"
        case .plain: "plain"
        case .legacy: "legacy"
        case .otlp: "otlp"
        }
    }

    /// The profile of that name; nil where there is none.
    package init?(name: String) {
        guard let found = Profile.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// What a bearer token may be used for (docs/operation.md, Commands).
package enum TokenScope: String, Sendable, CaseIterable {
    /// Posting batches of one app.
    case ingest
    /// Reading reports.
    case report
    /// Reading reports, those of single devices too.
    case admin
}
