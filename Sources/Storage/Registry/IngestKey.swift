import Events

/// A key with which devices seal their batches.
package struct IngestKey: Sendable {
    /// What rows call it.
    package let id: Int64
    /// Its key id on the wire: `[A-Za-z0-9_-]{1,32}`, one for all apps.
    package let name: String
    /// Row id of its app.
    package let app: Int64
    /// `aes128gcm`, `jwe` or `legacy`.
    package let profile: Profile
    /// `ECDH-ES` or `RSA-OAEP-256` for `jwe`, else nil.
    package let algorithm: String?
    /// The symmetric secret, or the private key (PKCS#8 DER). Empty where the key is revoked, or was
    /// read without the master key.
    package let secret: [UInt8]
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let createdAt: Int64
    /// Since when it no longer counts.
    package let revokedAt: Int64?

    /// Whether its batches are refused.
    package var isRevoked: Bool { revokedAt != nil }
}
