/// How a JWE's content key is agreed or wrapped (docs/protocol.md, jwe). The raw value is the
/// `alg`.
package enum KeyAlgorithm: String, CaseIterable, Sendable {
    /// Direct agreement on P-256 (RFC 7518 §4.6).
    case ecdhES = "ECDH-ES"
    /// RSA of 2048 bits or more, SHA-256 for label and mask (RFC 7518 §4.3).
    case rsaOAEP256 = "RSA-OAEP-256"
}
