import COpenSSL

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
