import COpenSSL

/// Whether both hold the same octets, in a time that depends on their number alone.
package func constantTimeEquals(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return one.withUnsafeBytes { first in
        other.withUnsafeBytes { second in
            first.isEmpty || CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
        }
    }
}

extension [UInt8] {
    /// Overwrites a temporary key before its memory is given back.
    mutating func cleanse() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
