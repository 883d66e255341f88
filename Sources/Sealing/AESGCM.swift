import COpenSSL

/// AES-GCM with 12 bytes of nonce and 16 of tag (NIST SP 800-38D), one context that is rekeyed for
/// each body. Not to be used by two threads at once.
package final class AESGCM {
    /// Bytes of the key.
    package enum KeySize: Int, Sendable {
        case bits128 = 16
        case bits256 = 32
    }

    package static let nonceSize = 12
    package static let tagSize = 16

    package let keySize: KeySize
    private let context: OpaquePointer

    package init(_ keySize: KeySize) {
        self.keySize = keySize
        context = CipherContext.make(keySize == .bits128 ? "AES-128-GCM" : "AES-256-GCM")
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Opens what `seal` made. Returns false if key, nonce, tag or any byte differs; `out` must not be
    /// used then.
    ///
    /// - Parameter out: At least as long as `sealed`.
    package func open(
        _ sealed: Span<UInt8>, tag: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>,
        associated: Span<UInt8>, into out: inout [UInt8]
    ) -> Bool {
        guard key.count == keySize.rawValue, nonce.count == Self.nonceSize,
            tag.count == Self.tagSize, out.count >= sealed.count
        else { return false }
        return key.withUnsafeBufferPointer { key in
            guard rekey(key) else { return false }
            return sealed.withUnsafeBufferPointer { sealed in
                tag.withUnsafeBufferPointer { tag in
                    nonce.withUnsafeBufferPointer { nonce in
                        associated.withUnsafeBufferPointer { associated in
                            out.withUnsafeMutableBufferPointer { out in
                                open(
                                    sealed, tag: tag, nonce: nonce, associated: associated,
                                    into: out)
                            }
                        }
                    }
                }
            }
        }
    }

    /// The sealed bytes, as many as the plain ones, followed by the tag.
    package func seal(
        _ plain: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associated: Span<UInt8>
    ) -> [UInt8] {
        precondition(key.count == keySize.rawValue && nonce.count == Self.nonceSize)
        return [UInt8](unsafeUninitializedCapacity: plain.count + Self.tagSize) { out, made in
            var good = key.withUnsafeBufferPointer { key in
                nonce.withUnsafeBufferPointer { nonce in
                    EVP_EncryptInit_ex(context, nil, nil, key.baseAddress, nonce.baseAddress) == 1
                }
            }
            var count: Int32 = 0
            associated.withUnsafeBufferPointer {
                guard $0.count > 0 else { return }
                good =
                    good
                    && EVP_EncryptUpdate(context, nil, &count, $0.baseAddress, Int32($0.count)) == 1
            }
            plain.withUnsafeBufferPointer {
                guard $0.count > 0 else { return }
                good =
                    good
                    && EVP_EncryptUpdate(
                        context, out.baseAddress, &count, $0.baseAddress, Int32($0.count)) == 1
            }
            let end = out.baseAddress.map { $0 + plain.count }
            good = good && EVP_EncryptFinal_ex(context, end, &count) == 1
            good =
                good
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), end) == 1
            // Only memory can run out here, and then nothing may be sent.
            precondition(good, "libcrypto could not seal")
            made = plain.count + Self.tagSize
        }
    }

    /// Sets the key for `open` with nonces of its own for each record.
    func rekey(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        EVP_DecryptInit_ex(context, nil, nil, key.baseAddress, nil) == 1
    }

    /// Opens under the key that was set last. `out` may be where `sealed` is.
    func open(
        _ sealed: UnsafeBufferPointer<UInt8>, tag: UnsafeBufferPointer<UInt8>,
        nonce: UnsafeBufferPointer<UInt8>, associated: UnsafeBufferPointer<UInt8>,
        into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var count: Int32 = 0
        guard sealed.count <= Int(Int32.max), associated.count <= Int(Int32.max),
            EVP_DecryptInit_ex(context, nil, nil, nil, nonce.baseAddress) == 1,
            associated.isEmpty
                || EVP_DecryptUpdate(
                    context, nil, &count, associated.baseAddress, Int32(associated.count)) == 1,
            sealed.isEmpty
                || EVP_DecryptUpdate(
                    context, out.baseAddress, &count, sealed.baseAddress, Int32(sealed.count)) == 1,
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize),
                UnsafeMutableRawPointer(mutating: tag.baseAddress)) == 1,
            EVP_DecryptFinal_ex(context, out.baseAddress, &count) == 1
        else {
            ERR_clear_error()
            return false
        }
        return true
    }
}

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
