import COpenSSL

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
