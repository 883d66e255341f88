import COpenSSL

/// One-shot digests (FIPS 180-4, RFC 1321).
package enum Hashing {
    package static func sha256(_ bytes: Span<UInt8>) -> Digest256 {
        var state = SHA256_CTX()
        SHA256_Init(&state)
        bytes.withUnsafeBytes { _ = SHA256_Update(&state, $0.baseAddress, $0.count) }
        return state.finish()
    }

    /// 20 bytes. Only to recognise ids that old clients made with it: it protects nothing.
    package static func sha1(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = SHA_CTX()
        SHA1_Init(&state)
        bytes.withUnsafeBytes { _ = SHA1_Update(&state, $0.baseAddress, $0.count) }
        return [UInt8](unsafeUninitializedCapacity: 20) { out, count in
            SHA1_Final(out.baseAddress, &state)
            count = 20
        }
    }

    /// 16 bytes. For the same as `sha1`.
    package static func md5(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = MD5_CTX()
        MD5_Init(&state)
        bytes.withUnsafeBytes { _ = MD5_Update(&state, $0.baseAddress, $0.count) }
        return [UInt8](unsafeUninitializedCapacity: 16) { out, count in
            MD5_Final(out.baseAddress, &state)
            count = 16
        }
    }
}

extension SHA256_CTX {
    /// The digest of what was put in; the state is used up.
    mutating func finish() -> Digest256 {
        var out = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        return withUnsafeMutableBytes(of: &out) { raw in
            SHA256_Final(raw.assumingMemoryBound(to: UInt8.self).baseAddress, &self)
            return Digest256(raw: UnsafeRawBufferPointer(raw))
        }
    }
}

/// SHA-256 (FIPS 180-4) of what comes in pieces.
package struct SHA256Stream {
    private var state = SHA256_CTX()

    package init() { SHA256_Init(&state) }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    /// Of all that was added.
    package var digest: Digest256 {
        var copy = state
        return copy.finish()
    }
}
