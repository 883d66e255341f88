import FoundationEssentials
import Sealing
import Storage

/// What a row of the engine's `registry` says, as JSON. A newer node may add members: they are passed over.
struct RegistryBody: Codable {
    var title: String?
    var timeZone: String?
    var sessionTimeout: Int64?
    var allowsPlain: Bool?
    var app: String?
    var profile: String?
    var algorithm: String?
    /// Hex.
    var wrapped: String?
    /// Hex.
    var hash: String?
    var scope: String?
    var createdAt: Int64
    var revokedAt: Int64?

    enum CodingKeys: String, CodingKey {
        case title, app, profile, wrapped, hash, scope
        case timeZone = "time_zone"
        case sessionTimeout = "session_timeout_ms"
        case allowsPlain = "allow_plain"
        case algorithm = "alg"
        case createdAt = "created_at"
        case revokedAt = "revoked_at"
    }

    init(_ content: RegistryRow.Content) {
        switch content {
        case .app(let title, let timeZone, let sessionTimeout, let allowsPlain, let createdAt):
            self.title = title
            self.timeZone = timeZone
            self.sessionTimeout = sessionTimeout
            self.allowsPlain = allowsPlain
            self.createdAt = createdAt
        case .key(let app, let profile, let algorithm, let wrapped, let createdAt, let revokedAt):
            self.app = app
            self.profile = profile
            self.algorithm = algorithm
            self.wrapped = Hex.encode(wrapped.span)
            self.createdAt = createdAt
            self.revokedAt = revokedAt
        case .token(let hash, let scope, let app, let createdAt, let revokedAt):
            self.hash = Hex.encode(hash.span)
            self.scope = scope
            self.app = app
            self.createdAt = createdAt
            self.revokedAt = revokedAt
        }
    }

    /// Nil where a member is missing that the kind has to have.
    func content(of kind: RegistryRow.Kind) -> RegistryRow.Content? {
        switch kind {
        case .app:
            guard let title, let timeZone, let sessionTimeout, let allowsPlain else { return nil }
            return .app(
                title: title, timeZone: timeZone, sessionTimeout: sessionTimeout,
                allowsPlain: allowsPlain, createdAt: createdAt)
        case .key:
            guard let app, let profile, let wrapped = wrapped.flatMap(Self.bytes) else {
                return nil
            }
            return .key(
                app: app, profile: profile, algorithm: algorithm, wrapped: wrapped,
                createdAt: createdAt, revokedAt: revokedAt)
        case .token:
            guard let hash = hash.flatMap(Self.bytes), let scope else { return nil }
            return .token(
                hash: hash, scope: scope, app: app, createdAt: createdAt, revokedAt: revokedAt)
        }
    }

    private static func bytes(_ hex: String) -> [UInt8]? { Hex.decode(Array(hex.utf8).span) }

    /// As the engine has it.
    static func text(of row: RegistryRow) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try? encoder.encode(RegistryBody(row.content))
        return body.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Nil where it is no body of that kind.
    static func row(_ kind: RegistryRow.Kind, _ name: String, _ text: String) -> RegistryRow? {
        let body = try? JSONDecoder().decode(RegistryBody.self, from: Data(text.utf8))
        return body?.content(of: kind).map { RegistryRow(name: name, content: $0) }
    }
}
