/// What an app's batches are sealed with: `sojourn key add` prints it.
public enum Key: Sendable, ExpressibleByStringLiteral {
    /// `KEYID:SECRET`, the secret of 32 bytes in base64url (RFC 8188).
    case aes128gcm(String)
    /// A public key of P-256 as a JWK, and an ingest token (RFC 7516, ECDH-ES).
    case jwe(id: String, publicJWK: String, token: String)

    public init(stringLiteral value: String) { self = .aes128gcm(value) }
}
