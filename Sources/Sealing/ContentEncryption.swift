/// What encrypts a JWE's content (docs/protocol.md, jwe). The raw value is the `enc`.
package enum ContentEncryption: String, CaseIterable, Sendable {
    case a128GCM = "A128GCM"
    case a256GCM = "A256GCM"

    /// Bytes of the content key.
    package var keySize: Int { self == .a128GCM ? 16 : 32 }
}
