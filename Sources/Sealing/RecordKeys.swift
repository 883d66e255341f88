import COpenSSL

/// Content-encryption key and base nonce of one body (RFC 8188 §2.2 and §2.3).
struct RecordKeys {
    private var key: Digest256
    private var nonce: Digest256

    /// With the byte 1 that ends HKDF's only round here (RFC 5869 §2.3).
    private static let keyInfo: StaticString = "Content-Encoding: aes128gcm\0\u{1}"
    private static let nonceInfo: StaticString = "Content-Encoding: nonce\0\u{1}"

    init(secret: Span<UInt8>, salt: Span<UInt8>) {
        var extracted = HKDF.extract(secret: secret, salt: salt)
        key = Self.expand(extracted, Self.keyInfo)
        nonce = Self.expand(extracted, Self.nonceInfo)
        extracted.cleanse()
    }

    private static func expand(_ key: HMACKey, _ info: StaticString) -> Digest256 {
        info.withUTF8Buffer { key.authenticate(Span(_unsafeElements: $0)) }
    }

    /// The 16 bytes of the key.
    func withKey<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        key.withBytes { bytes in
            bytes.extracting(first: 16).withUnsafeBufferPointer { body($0) }
        }
    }

    /// The 12 bytes of a record's nonce: the base nonce with the record's number put in by
    /// exclusive or.
    func withNonce<R>(_ number: UInt64, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        let low = (nonce.words.0 << 32 | nonce.words.1 >> 32) ^ number
        let words = (
            UInt32(truncatingIfNeeded: nonce.words.0 >> 32).bigEndian,
            UInt32(truncatingIfNeeded: low >> 32).bigEndian,
            UInt32(truncatingIfNeeded: low).bigEndian
        )
        return withUnsafeBytes(of: words) { body($0.assumingMemoryBound(to: UInt8.self)) }
    }

    mutating func cleanse() {
        OPENSSL_cleanse(&key, MemoryLayout<Digest256>.size)
        OPENSSL_cleanse(&nonce, MemoryLayout<Digest256>.size)
    }
}
