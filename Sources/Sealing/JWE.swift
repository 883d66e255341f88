import COpenSSL

/// Opens JWE compact serializations (RFC 7516; docs/protocol.md, jwe). One for each worker; not to
/// be used by two threads at once. Nothing of an unwrap is remembered.
///
/// In two steps, because an unknown or revoked key has an answer of its own: `Header.parse` gives
/// the key id, `open` takes the key.
package final class JWE {
    private let cipher128 = AESGCM(.bits128)
    private let cipher256 = AESGCM(.bits256)

    package init() {}

    /// Opens a body whose header has been parsed from it.
    ///
    /// Whatever is wrong with it, all the work is done, with stand-ins for parts that cannot be used:
    /// every way to fail takes as long as a wrong tag (docs/protocol.md, jwe).
    ///
    /// - Parameters:
    ///   - key: The one that the header's `kid` names. One of another algorithm opens nothing.
    ///   - scratch: Grown to the size of the content.
    /// - Returns: How many bytes from the scratch's first are the content, which is still
    ///   compressed if `header.isCompressed`.
    package func open(
        _ body: Span<UInt8>, header: Header, key: PrivateKey, into scratch: inout [UInt8]
    ) throws(SealError) -> Int {
        var isSound = true
        let nonce = Self.part(body, header.nonce, count: AESGCM.nonceSize, &isSound)
        let tag = Self.part(body, header.tag, count: AESGCM.tagSize, &isSound)
        let count = header.ciphertext.count * 3 / 4
        Scratch.grow(&scratch, to: max(count, 1))
        let decoded = scratch.withUnsafeMutableBufferPointer {
            Base64URL.decode(body.extracting(header.ciphertext), to: $0)
        }
        var contentKey = contentKey(body, header, key: key, &isSound)
        defer { contentKey.cleanse() }
        let cipher = header.encryption == .a128GCM ? cipher128 : cipher256
        let opened =
            contentKey.withUnsafeBufferPointer { cipher.rekey($0) }
            && nonce.withUnsafeBufferPointer { nonce in
                tag.withUnsafeBufferPointer { tag in
                    body.extracting(header.protected).withUnsafeBufferPointer { associated in
                        scratch.withUnsafeMutableBufferPointer { out in
                            cipher.open(
                                UnsafeBufferPointer(rebasing: out[..<count]), tag: tag,
                                nonce: nonce, associated: associated, into: out)
                        }
                    }
                }
            }
        guard opened, decoded, isSound else { throw .undecodable }
        return count
    }

    /// A part of a known size; zeros where it is not that.
    private static func part(
        _ body: Span<UInt8>, _ range: Range<Int>, count: Int, _ isSound: inout Bool
    ) -> [UInt8] {
        if let bytes = Base64URL.decode(body.extracting(range)), bytes.count == count {
            return bytes
        }
        isSound = false
        return [UInt8](repeating: 0, count: count)
    }

    private func contentKey(
        _ body: Span<UInt8>, _ header: Header, key: PrivateKey, _ isSound: inout Bool
    ) -> [UInt8] {
        if key.algorithm != header.algorithm { isSound = false }
        let decoded = Base64URL.decode(body.extracting(header.encryptedKey))
        if decoded == nil { isSound = false }
        let wrapped = decoded ?? []
        switch key.algorithm {
        case .rsaOAEP256:
            let isOnCurve = header.ephemeral.isEmpty || KeyPair.isOnCurve(header.ephemeral.span)
            if !isOnCurve { isSound = false }
            return key.unwrap(wrapped.span, keySize: header.encryption.keySize)
        case .ecdhES:
            // Direct agreement leaves the second part empty (RFC 7516 §5.2, step 10).
            if !wrapped.isEmpty { isSound = false }
            let agreed = key.agree(with: header.ephemeral.span)
            if agreed == nil { isSound = false }
            var shared = agreed ?? key.agreeWithItself()
            defer { shared.cleanse() }
            return ConcatKDF.derive(
                shared, for: header.encryption, partyU: header.partyU, partyV: header.partyV)
        }
    }
}

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

/// The content key of a direct key agreement (RFC 7518 §4.6.2): one round of Concat KDF with
/// SHA-256.
enum ConcatKDF {
    /// - Parameters:
    ///   - shared: Z of the agreement.
    ///   - partyU, partyV: `apu` and `apv` decoded, empty where absent.
    static func derive(
        _ shared: [UInt8], for encryption: ContentEncryption, partyU: [UInt8], partyV: [UInt8]
    ) -> [UInt8] {
        var input: [UInt8] = [0, 0, 0, 1]
        input += shared
        for part in [Array(encryption.rawValue.utf8), partyU, partyV] {
            append(part.count, to: &input)
            input += part
        }
        append(encryption.keySize * 8, to: &input)
        var digest = Hashing.sha256(input.span)
        input.cleanse()
        defer { OPENSSL_cleanse(&digest, MemoryLayout<Digest256>.size) }
        return digest.withBytes { bytes in
            bytes.extracting(first: encryption.keySize).withUnsafeBufferPointer { Array($0) }
        }
    }

    private static func append(_ count: Int, to out: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
}

/// A body that cannot be opened. One case for every way to fail, so that nobody learns which it was
/// (docs/protocol.md, The answer: `undecodable`).
package enum SealError: Error {
    case undecodable
}
