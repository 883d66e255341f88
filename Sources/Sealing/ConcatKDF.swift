import COpenSSL

/// The content key of a direct key agreement (RFC 7518 §4.6.2): one round of Concat KDF with
/// SHA-256.
enum ConcatKDF {
    /// - Parameters:
    ///   - shared: Z of the agreement.
    ///   - partyU, partyV: `apu` and `apv` decoded, empty where absent.
    static func derive(
        _ shared: [UInt8], for encryption: ContentEncryption, partyU: [UInt8], partyV: [UInt8]
    ) -> [UInt8] {
        var input: [UInt8] = [0, 0, 0, 1]
        input += shared
        for part in [Array(encryption.rawValue.utf8), partyU, partyV] {
            append(part.count, to: &input)
            input += part
        }
        append(encryption.keySize * 8, to: &input)
        var digest = Hashing.sha256(input.span)
        input.cleanse()
        defer { OPENSSL_cleanse(&digest, MemoryLayout<Digest256>.size) }
        return digest.withBytes { bytes in
            bytes.extracting(first: encryption.keySize).withUnsafeBufferPointer { Array($0) }
        }
    }

    private static func append(_ count: Int, to out: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
}
