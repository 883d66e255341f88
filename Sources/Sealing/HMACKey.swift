import COpenSSL

/// The key schedule of HMAC-SHA-256 (RFC 2104): both pads already hashed, to be copied for each
/// message.
struct HMACKey {
    private(set) var inner = SHA256_CTX()
    private(set) var outer = SHA256_CTX()

    private static let blockSize = 64

    init(_ key: Span<UInt8>) {
        guard key.count <= Self.blockSize else {
            self = Hashing.sha256(key).withBytes { HMACKey($0) }
            return
        }
        var pad = InlineArray<64, UInt8>(repeating: 0x36)
        for index in key.indices { pad[index] ^= key[index] }
        SHA256_Init(&inner)
        withUnsafeBytes(of: &pad) { _ = SHA256_Update(&inner, $0.baseAddress, Self.blockSize) }
        for index in 0..<Self.blockSize { pad[index] ^= 0x36 ^ 0x5c }
        SHA256_Init(&outer)
        withUnsafeMutableBytes(of: &pad) {
            _ = SHA256_Update(&outer, $0.baseAddress, Self.blockSize)
            OPENSSL_cleanse($0.baseAddress, Self.blockSize)
        }
    }

    /// The code of a message whose bytes went into a copy of `inner`.
    func finish(_ state: inout SHA256_CTX) -> Digest256 {
        let first = state.finish()
        state = outer
        first.withBytes { bytes in
            bytes.withUnsafeBytes { _ = SHA256_Update(&state, $0.baseAddress, $0.count) }
        }
        return state.finish()
    }

    func authenticate(_ message: Span<UInt8>) -> Digest256 {
        var state = inner
        message.withUnsafeBytes { _ = SHA256_Update(&state, $0.baseAddress, $0.count) }
        return finish(&state)
    }

    mutating func cleanse() {
        OPENSSL_cleanse(&inner, MemoryLayout<SHA256_CTX>.size)
        OPENSSL_cleanse(&outer, MemoryLayout<SHA256_CTX>.size)
    }
}
