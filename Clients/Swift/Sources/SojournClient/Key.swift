/// What an app's batches are sealed with: `sojourn key add` prints it. It is in every copy of the app, and
/// who takes it out can send events and read nothing. A string literal is an ``aes128gcm(_:)``.
public enum Key: Sendable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomReflectable
{
    /// `KEYID:SECRET`, the secret in base64url as `sojourn key add` prints it (RFC 8188).
    case aes128gcm(String)
    /// A public key of P-256 as a JWK, and an ingest token (RFC 7516, ECDH-ES).
    case jwe(id: String, publicJWK: String, token: String)

    /// What makes it another key.
    var parts: [String] {
        switch self {
        case .aes128gcm(let text): ["aes128gcm", text]
        case .jwe(let id, let publicJWK, let token): ["jwe", id, publicJWK, token]
        }
    }

    /// `KEYID:SECRET`, as ``aes128gcm(_:)``, from where the app keeps it.
    public init(_ text: String) { self = .aes128gcm(text) }

    /// `"KEYID:SECRET"`, as ``aes128gcm(_:)``.
    public init(stringLiteral value: String) { self = .aes128gcm(value) }

    /// Its kind alone, so that no log has the secret.
    public var description: String {
        switch self {
        case .aes128gcm: "aes128gcm"
        case .jwe: "jwe"
        }
    }

    /// Without members.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
