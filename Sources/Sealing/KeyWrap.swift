/// Ingest keys at rest: AES-256-GCM under a key that comes from the master key, bound to what they
/// are for by associated data.
package enum KeyWrap {
    /// Bytes of the wrapping key.
    package static let keySize = 32

    /// A fresh random nonce (12 bytes), the sealed key, its tag (16).
    package static func wrap(
        _ plain: Span<UInt8>, key: Span<UInt8>, associated: Span<UInt8>
    ) -> [UInt8] {
        let nonce = RandomBytes.make(AESGCM.nonceSize)
        return nonce
            + AESGCM(.bits256).seal(plain, key: key, nonce: nonce.span, associated: associated)
    }

    /// Throws where the key or the associated data is another, or a byte was changed.
    package static func unwrap(
        _ wrapped: Span<UInt8>, key: Span<UInt8>, associated: Span<UInt8>
    ) throws(SealError) -> [UInt8] {
        let count = wrapped.count - AESGCM.nonceSize - AESGCM.tagSize
        guard count >= 0 else { throw .undecodable }
        var out = [UInt8](repeating: 0, count: count)
        let end = AESGCM.nonceSize + count
        guard
            AESGCM(.bits256).open(
                wrapped.extracting(AESGCM.nonceSize..<end),
                tag: wrapped.extracting(end..<wrapped.count), key: key,
                nonce: wrapped.extracting(first: AESGCM.nonceSize), associated: associated,
                into: &out)
        else {
            out.cleanse()
            throw .undecodable
        }
        return out
    }
}
