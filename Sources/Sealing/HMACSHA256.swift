import COpenSSL

/// HMAC-SHA-256 under one key (RFC 2104), used again and again: its key schedule is made once.
/// Not to be used by two threads at once.
package final class HMACSHA256 {
    private var key: HMACKey
    private var state: SHA256_CTX

    /// - Parameter key: Of any length; more than 64 bytes are hashed first, as the RFC says.
    package init(key: Span<UInt8>) {
        let schedule = HMACKey(key)
        self.key = schedule
        state = schedule.inner
    }

    deinit {
        key.cleanse()
        OPENSSL_cleanse(&state, MemoryLayout<SHA256_CTX>.size)
    }

    /// Starts a message, giving up an unfinished one.
    package func begin() { state = key.inner }

    /// Adds bytes to the message.
    package func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { _ = SHA256_Update(&state, $0.baseAddress, $0.count) }
    }

    /// Ends the message; the next one starts with `begin`.
    package func finish() -> Digest256 { key.finish(&state) }

    /// The code of one whole message.
    package func authenticate(_ message: Span<UInt8>) -> Digest256 { key.authenticate(message) }
}
