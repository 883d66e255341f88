import COpenSSL

/// The private key of a `jwe` ingest key: P-256 or RSA. Parsed once and used for every body;
/// several threads may use it at once, since libcrypto does not change it.
package final class PrivateKey: @unchecked Sendable {
    let handle: OpaquePointer
    /// What it is for: EC keys agree, RSA keys unwrap.
    package let algorithm: KeyAlgorithm
    /// Of an RSA key, big-endian: what can be unwrapped is as long, and less.
    private let modulus: [UInt8]

    /// Takes the handle over, and frees it where it throws.
    private init(taking handle: OpaquePointer) throws(KeyMaterialError) {
        do throws(KeyMaterialError) {
            algorithm = try KeyPair.algorithm(of: handle)
        } catch {
            ERR_clear_error()
            EVP_PKEY_free(handle)
            throw error
        }
        self.handle = handle
        modulus = KeyPair.number(OSSL_PKEY_PARAM_RSA_N, of: handle) ?? []
    }

    /// Makes a new pair: P-256, or RSA of 2048 bits with exponent 65537.
    package init(making algorithm: KeyAlgorithm) {
        self.algorithm = algorithm
        handle = KeyPair.make(algorithm)
        modulus = KeyPair.number(OSSL_PKEY_PARAM_RSA_N, of: handle) ?? []
    }

    deinit { EVP_PKEY_free(handle) }

    /// Reads a DER-encoded PKCS#8 PrivateKeyInfo (RFC 5208 §5), as it is stored.
    package convenience init(pkcs8 der: Span<UInt8>) throws(KeyMaterialError) {
        let handle = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var at = bytes.baseAddress
            let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &at, bytes.count)
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            guard info != nil, let start = bytes.baseAddress, at == start + bytes.count
            else { return nil }
            return EVP_PKCS82PKEY(info)
        }
        guard let handle else {
            ERR_clear_error()
            throw .damaged
        }
        try self.init(taking: handle)
    }

    /// Reads an operator's PEM, and makes sure that its halves belong together.
    package convenience init(pem text: Span<UInt8>) throws(KeyMaterialError) {
        guard var pem = PEM(text) else { throw .notPEM }
        var content = pem.takeContent()
        defer { content.cleanse() }
        guard pem.label != "ENCRYPTED PRIVATE KEY", !pem.hasHeader else { throw .encrypted }
        guard pem.label == "PRIVATE KEY" else { throw .notPKCS8(label: pem.label) }
        try self.init(pkcs8: content.span)
        let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_pairwise_check(context) == 1 else {
            ERR_clear_error()
            throw .damaged
        }
    }

    /// The key as DER-encoded PKCS#8. Secret: to be wrapped before it is stored.
    package var pkcs8: [UInt8] {
        let info = EVP_PKEY2PKCS8(handle)
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        let count = Int(i2d_PKCS8_PRIV_KEY_INFO(info, nil))
        precondition(count > 0, "libcrypto could not encode a key it holds")
        return [UInt8](unsafeUninitializedCapacity: count) { out, made in
            var at = out.baseAddress
            made = Int(i2d_PKCS8_PRIV_KEY_INFO(info, &at))
        }
    }

    /// How long it is; of an RSA key its modulus.
    var bits: Int { Int(EVP_PKEY_get_bits(handle)) }

    /// The half that clients seal with.
    package var publicKey: PublicKey { PublicKey(sharing: handle, algorithm) }

    /// Z of ECDH with a point (4, x, y); nil where it is not on P-256 or this is no EC key.
    func agree(with point: Span<UInt8>) -> [UInt8]? {
        guard algorithm == .ecdhES, let peer = KeyPair.publicKey(point: point) else { return nil }
        defer { EVP_PKEY_free(peer) }
        return KeyPair.agree(handle, with: peer)
    }

    /// Costs what an agreement costs, and is worth nothing: for a peer that is none.
    func agreeWithItself() -> [UInt8] {
        KeyPair.agree(handle, with: handle) ?? [UInt8](repeating: 0, count: 32)
    }

    /// The content key of a JWE, or a random one where unwrapping fails or gives another length:
    /// then the tag decides, at the same cost (RFC 7516 §11.5).
    func unwrap(_ wrapped: Span<UInt8>, keySize: Int) -> [UInt8] {
        var key = RandomBytes.make(keySize)
        // libcrypto is done at once with what is too long, too short or not below the modulus.
        let isInRange = isBelowModulus(wrapped)
        let standIn = [0] + RandomBytes.make(max(modulus.count - 1, 0))
        let wrapped = isInRange ? wrapped : standIn.span
        guard algorithm == .rsaOAEP256,
            let context = KeyPair.oaep(handle, EVP_PKEY_decrypt_init)
        else { return key }
        defer { EVP_PKEY_CTX_free(context) }
        var room = [UInt8](repeating: 0, count: max(Int(EVP_PKEY_get_size(handle)), keySize))
        defer { room.cleanse() }
        var count = room.count
        let status = wrapped.withUnsafeBufferPointer {
            EVP_PKEY_decrypt(context, &room, &count, $0.baseAddress, $0.count)
        }
        ERR_clear_error()
        // Chosen byte by byte, so that no branch tells which key it became.
        let good =
            UInt8(truncatingIfNeeded: status == 1 && isInRange ? 1 : 0)
            & UInt8(truncatingIfNeeded: count == keySize ? 1 : 0)
        let mask = 0 &- good
        for index in key.indices { key[index] = room[index] & mask | key[index] & ~mask }
        return key
    }

    /// Both are public: whoever sends the one knows the other.
    private func isBelowModulus(_ wrapped: Span<UInt8>) -> Bool {
        guard wrapped.count == modulus.count else { return false }
        for index in modulus.indices where wrapped[index] != modulus[index] {
            return wrapped[index] < modulus[index]
        }
        return false
    }
}
