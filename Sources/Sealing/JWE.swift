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
