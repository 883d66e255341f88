import Events
import Sealing

/// Ingest keys' secrets as the database keeps them: sealed by the master key, each for its app,
/// profile and key id alone, so that a row moved to another name does not open.
package struct SecretWrapping: Sendable {
    private let wrappingKey: [UInt8]

    /// By the wrapping key that follows from the master key.
    package init(_ masterKey: MasterKey) { wrappingKey = masterKey.wrappingKey }

    func seal(_ secret: [UInt8], app: String, profile: Profile, key: String) -> [UInt8] {
        let purpose = Self.purpose(app, profile, key)
        return KeyWrap.wrap(secret.span, key: wrappingKey.span, associated: purpose.span)
    }

    /// Nil where it was not sealed for this.
    func open(_ wrapped: [UInt8], app: String, profile: Profile, key: String) -> [UInt8]? {
        let purpose = Self.purpose(app, profile, key)
        return try? KeyWrap.unwrap(wrapped.span, key: wrappingKey.span, associated: purpose.span)
    }

    /// App, profile and key id with zero octets between: none of them can hold one.
    private static func purpose(_ app: String, _ profile: Profile, _ key: String) -> [UInt8] {
        Array([app, profile.name, key].joined(separator: "\0").utf8)
    }
}
