import COpenSSL

extension JWE {
    /// Seals as a device does, with an ephemeral key or a content key of its own for each body.
    ///
    /// - Parameters:
    ///   - content: What to seal; already deflated where `isCompressed` says so.
    ///   - keyID: `[A-Za-z0-9_-]{1,32}`, becomes `kid`.
    ///   - key: Decides the algorithm.
    /// - Returns: The compact serialization, in ASCII.
    package static func seal(
        _ content: Span<UInt8>, keyID: String, key: PublicKey,
        encryption: ContentEncryption = .a128GCM, isCompressed: Bool = false
    ) -> [UInt8] {
        var members = [
            ("alg", "\"\(key.algorithm.rawValue)\""), ("enc", "\"\(encryption.rawValue)\""),
            ("kid", "\"\(keyID)\""),
        ]
        if isCompressed { members.append(("zip", "\"DEF\"")) }
        var contentKey: [UInt8]
        var wrapped = [UInt8]()
        switch key.algorithm {
        case .ecdhES:
            let ephemeral = PrivateKey(making: .ecdhES)
            guard var shared = KeyPair.agree(ephemeral.handle, with: key.handle) else {
                preconditionFailure("two keys on one curve always agree")
            }
            defer { shared.cleanse() }
            contentKey = ConcatKDF.derive(shared, for: encryption, partyU: [], partyV: [])
            members.append(("epk", epk(ephemeral.publicKey)))
        case .rsaOAEP256:
            contentKey = RandomBytes.make(encryption.keySize)
            guard let made = key.wrap(contentKey.span) else {
                preconditionFailure("libcrypto could not wrap a key")
            }
            wrapped = made
        }
        defer { contentKey.cleanse() }
        let header = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        var out = [UInt8]()
        Base64URL.append(Array(header.utf8).span, to: &out)
        let nonce = RandomBytes.make(AESGCM.nonceSize)
        let sealed = AESGCM(encryption == .a128GCM ? .bits128 : .bits256)
            .seal(content, key: contentKey.span, nonce: nonce.span, associated: out.span)
        append(wrapped.span, to: &out)
        append(nonce.span, to: &out)
        append(sealed.span.extracting(first: content.count), to: &out)
        append(sealed.span.extracting(last: AESGCM.tagSize), to: &out)
        return out
    }

    private static func append(_ part: Span<UInt8>, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "."))
        Base64URL.append(part, to: &out)
    }

    /// Only what is needed to represent the key (RFC 7518 §4.6.1.1).
    private static func epk(_ key: PublicKey) -> String {
        let members = key.jwk(keyID: "").filter { ["kty", "crv", "x", "y"].contains($0.name) }
        return "{" + members.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
    }
}
