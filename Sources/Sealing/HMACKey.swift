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

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// The most bytes it can give (RFC 5869 §2.3).
    package static let maxBytes = 255 * Digest256.count

    /// Extracts and expands.
    ///
    /// - Parameters:
    ///   - secret: The input keying material.
    ///   - salt: May be empty.
    ///   - info: What the result is for.
    ///   - count: Bytes wanted, at most `maxBytes`.
    package static func sha256(
        secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
    ) -> [UInt8] {
        precondition((0...maxBytes).contains(count), "HKDF gives at most 8,160 octets")
        var extracted = extract(secret: secret, salt: salt)
        defer { extracted.cleanse() }
        var out = [UInt8]()
        out.reserveCapacity(count + Digest256.count)
        var block: Digest256?
        var number: UInt8 = 0
        while out.count < count {
            number += 1
            var state = extracted.inner
            block?.withBytes { state.update($0) }
            state.update(info)
            withUnsafeBytes(of: number) { _ = SHA256_Update(&state, $0.baseAddress, 1) }
            let made = extracted.finish(&state)
            made.withBytes { bytes in
                for index in bytes.indices { out.append(bytes[index]) }
            }
            block = made
        }
        out.removeLast(out.count - count)
        return out
    }

    /// The pseudorandom key (RFC 5869 §2.2), as the schedule that expanding needs.
    static func extract(secret: Span<UInt8>, salt: Span<UInt8>) -> HMACKey {
        var salted = HMACKey(salt)
        defer { salted.cleanse() }
        return salted.authenticate(secret).withBytes { HMACKey($0) }
    }
}

extension SHA256_CTX {
    mutating func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { _ = SHA256_Update(&self, $0.baseAddress, $0.count) }
    }
}
