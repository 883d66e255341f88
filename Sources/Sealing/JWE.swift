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
    /// - Parameters:
    ///   - key: The one that the header's `kid` names. One of another algorithm opens nothing.
    ///   - scratch: Grown to the size of the content.
    /// - Returns: How many octets from the scratch's first are the content, which is still
    ///   compressed if `header.isCompressed`.
    package func open(
        _ body: Span<UInt8>, header: Header, key: PrivateKey, into scratch: inout [UInt8]
    ) throws(SealError) -> Int {
        guard let wrapped = Base64URL.decode(body.extracting(header.encryptedKey)),
            let nonce = Base64URL.decode(body.extracting(header.nonce)),
            nonce.count == AESGCM.nonceSize,
            let tag = Base64URL.decode(body.extracting(header.tag)), tag.count == AESGCM.tagSize,
            let count = Base64URL.decodedCount(header.ciphertext.count)
        else { throw .undecodable }
        Scratch.grow(&scratch, to: max(count, 1))
        let decoded = scratch.withUnsafeMutableBufferPointer {
            Base64URL.decode(body.extracting(header.ciphertext), to: $0)
        }
        guard decoded else { throw .undecodable }

        var contentKey = try contentKey(header, wrapped: wrapped, key: key)
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
        guard opened else { throw .undecodable }
        return count
    }

    private func contentKey(
        _ header: Header, wrapped: [UInt8], key: PrivateKey
    ) throws(SealError) -> [UInt8] {
        guard key.algorithm == header.algorithm else { throw .undecodable }
        switch header.algorithm {
        case .rsaOAEP256:
            guard header.ephemeral.isEmpty || KeyPair.isOnCurve(header.ephemeral.span)
            else { throw .undecodable }
            return key.unwrap(wrapped.span, keySize: header.encryption.keySize)
        case .ecdhES:
            // Direct agreement leaves the second part empty (RFC 7516 §5.2, step 10).
            guard wrapped.isEmpty, var shared = key.agree(with: header.ephemeral.span)
            else { throw .undecodable }
            defer { shared.cleanse() }
            return ConcatKDF.derive(
                shared, for: header.encryption, partyU: header.partyU, partyV: header.partyV)
        }
    }
}
