import COpenSSL

/// What libcrypto's key handles have in common, private and public ones.
enum KeyPair {
    static let curve = "P-256"
    static let minBits = 2048
    /// Of an RSA key that is imported: what unwrapping costs grows with the cube of it.
    static let maxBits = 4096

    /// The algorithm that a key is for.
    static func algorithm(of key: OpaquePointer) throws(KeyMaterialError) -> KeyAlgorithm {
        if EVP_PKEY_is_a(key, "EC") == 1 {
            var name = [CChar](repeating: 0, count: 64)
            let known = EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
            guard known, strcmp(name, SN_X9_62_prime256v1) == 0 else { throw .unsupportedCurve }
            return .ecdhES
        }
        guard EVP_PKEY_is_a(key, "RSA") == 1 else { throw .unsupportedKey }
        let bits = Int(EVP_PKEY_get_bits(key))
        guard bits >= minBits else { throw .tooShort(bits: bits) }
        return .rsaOAEP256
    }

    /// An empty key on P-256, to be copied: looking the curve up costs more than all else.
    private static let template: Template = Template()

    private final class Template: @unchecked Sendable {
        let key: OpaquePointer

        init() {
            var made: OpaquePointer?
            let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_paramgen_init(context) == 1,
                EVP_PKEY_CTX_set_group_name(context, curve) == 1,
                EVP_PKEY_paramgen(context, &made) == 1, let made
            else { preconditionFailure("libcrypto has no P-256") }
            key = made
        }
    }

    /// A public key on P-256; nil where the bytes are no point on it. The caller frees it.
    ///
    /// - Parameter point: 4, x and y: 65 bytes (SEC 1 §2.3.3).
    static func publicKey(point: Span<UInt8>) -> OpaquePointer? {
        guard point.count == 65, point[0] == 4, let key = EVP_PKEY_dup(template.key)
        else { return nil }
        // The curve has no other subgroup, so that a point on it is a good public key.
        let good = point.withUnsafeBufferPointer {
            EVP_PKEY_set1_encoded_public_key(key, $0.baseAddress, $0.count) == 1
        }
        guard good else {
            ERR_clear_error()
            EVP_PKEY_free(key)
            return nil
        }
        return key
    }

    /// Whether the bytes (4, x, y) are a point on P-256.
    static func isOnCurve(_ point: Span<UInt8>) -> Bool {
        guard let key = publicKey(point: point) else { return false }
        EVP_PKEY_free(key)
        return true
    }

    /// A new key pair; the caller frees it.
    static func make(_ algorithm: KeyAlgorithm) -> OpaquePointer {
        let name = algorithm == .ecdhES ? "EC" : "RSA"
        let context = EVP_PKEY_CTX_new_from_name(nil, name, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            (algorithm == .ecdhES
                ? EVP_PKEY_CTX_set_group_name(context, curve)
                : EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(minBits))) == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { preconditionFailure("libcrypto could not make a key") }
        return made
    }

    /// Z of ECDH: 32 bytes; nil where the peers are not on one curve.
    static func agree(_ own: OpaquePointer, with peer: OpaquePointer) -> [UInt8]? {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var shared = [UInt8](repeating: 0, count: 32)
        var count = shared.count
        // The peer was judged when it was made; a second check would cost as much as the agreement.
        guard EVP_PKEY_derive_init(context) == 1,
            EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1,
            EVP_PKEY_derive(context, &shared, &count) == 1, count == shared.count
        else {
            ERR_clear_error()
            return nil
        }
        return shared
    }

    /// A context for RSA-OAEP with SHA-256 for label and mask; the caller frees it.
    static func oaep(
        _ key: OpaquePointer, _ start: (OpaquePointer?) -> Int32
    ) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        guard start(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1,
            EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
        else {
            ERR_clear_error()
            EVP_PKEY_CTX_free(context)
            return nil
        }
        return context
    }

    /// A number of the key, big-endian, with zeros in front up to the size; nil where it has none.
    static func number(_ name: String, of key: OpaquePointer, size: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        defer { BN_free(number) }
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else {
            ERR_clear_error()
            return nil
        }
        let needed = Int(BN_num_bits(number) + 7) / 8
        let size = size ?? needed
        guard needed <= size else { return nil }
        var out = [UInt8](repeating: 0, count: size)
        return BN_bn2binpad(number, &out, Int32(size)) == Int32(size) ? out : nil
    }
}

/// How a JWE's content key is agreed or wrapped (docs/protocol.md, jwe). The raw value is the
/// `alg`.
package enum KeyAlgorithm: String, CaseIterable, Sendable {
    /// Direct agreement on P-256 (RFC 7518 §4.6).
    case ecdhES = "ECDH-ES"
    /// RSA of 2048 bits or more, SHA-256 for label and mask (RFC 7518 §4.3).
    case rsaOAEP256 = "RSA-OAEP-256"
}
