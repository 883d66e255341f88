import COpenSSL

/// The public half of a `jwe` ingest key, what clients seal with. May be used by several threads at
/// once.
package final class PublicKey: @unchecked Sendable {
    let handle: OpaquePointer
    package let algorithm: KeyAlgorithm

    /// Counts itself as one more holder of the handle.
    init(sharing handle: OpaquePointer, _ algorithm: KeyAlgorithm) {
        EVP_PKEY_up_ref(handle)
        self.handle = handle
        self.algorithm = algorithm
    }

    /// Takes the handle over, and frees it where it throws.
    init(taking handle: OpaquePointer?) throws(KeyMaterialError) {
        guard let handle else {
            ERR_clear_error()
            throw .damaged
        }
        do throws(KeyMaterialError) {
            algorithm = try KeyPair.algorithm(of: handle)
        } catch {
            ERR_clear_error()
            EVP_PKEY_free(handle)
            throw error
        }
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    /// Reads what an operator hands to clients: a JWK (RFC 7517) or a PEM with `PUBLIC KEY` (SPKI).
    package convenience init(text: Span<UInt8>) throws(KeyMaterialError) {
        if let first = text.indices.first(where: { !isWhiteSpace(text[$0]) }),
            text[first] == UInt8(ascii: "{")
        {
            try self.init(jwk: text)
            return
        }
        guard var pem = PEM(text) else { throw .notPEM }
        guard pem.label == "PUBLIC KEY" else { throw .notPKCS8(label: pem.label) }
        try self.init(spki: pem.takeContent().span)
    }

    /// Reads a DER-encoded SubjectPublicKeyInfo (RFC 5280 §4.1).
    package convenience init(spki der: Span<UInt8>) throws(KeyMaterialError) {
        let handle = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var at = bytes.baseAddress
            let key = d2i_PUBKEY(nil, &at, bytes.count)
            guard let start = bytes.baseAddress, at == start + bytes.count else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        try self.init(taking: handle)
    }

    /// A content key wrapped with RSA-OAEP-256; nil where this is no RSA key.
    func wrap(_ key: Span<UInt8>) -> [UInt8]? {
        guard algorithm == .rsaOAEP256,
            let context = KeyPair.oaep(handle, EVP_PKEY_encrypt_init)
        else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var out = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle)))
        var count = out.count
        let good = key.withUnsafeBufferPointer {
            EVP_PKEY_encrypt(context, &out, &count, $0.baseAddress, $0.count) == 1
        }
        guard good, count == out.count else {
            ERR_clear_error()
            return nil
        }
        return out
    }
}

func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
}
