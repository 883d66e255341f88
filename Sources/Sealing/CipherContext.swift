import COpenSSL

/// Makes cipher contexts. The fetch, a search through the providers, happens here and not for each
/// body.
enum CipherContext {
    /// A context that has its cipher and needs a key; the caller frees it.
    static func make(_ name: String) -> OpaquePointer {
        guard let cipher = EVP_CIPHER_fetch(nil, name, nil), let context = EVP_CIPHER_CTX_new(),
            EVP_DecryptInit_ex(context, cipher, nil, nil, nil) == 1
        else { preconditionFailure("libcrypto has no \(name)") }
        // The context holds it from here on.
        EVP_CIPHER_free(cipher)
        return context
    }
}
