import COpenSSL

/// AES-128-ECB with PKCS#7 padding, the design of 2013 (docs/protocol.md, legacy). It proves
/// nothing about integrity. One for each worker; not to be used by two threads at once.
package final class LegacyCipher {
    package static let keySize = 16
    private static let blockSize = 16

    private let context: OpaquePointer

    package init() { context = CipherContext.make("AES-128-ECB") }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Opens a body of whole blocks, at least one.
    ///
    /// - Parameters:
    ///   - key: Exactly 16 bytes.
    ///   - scratch: Grown to the body's size and a block.
    /// - Returns: How many bytes from the scratch's first are the content; may be 0.
    package func open(
        _ body: Span<UInt8>, key: Span<UInt8>, into scratch: inout [UInt8]
    ) throws(SealError) -> Int {
        guard key.count == Self.keySize, body.count > 0, body.count.isMultiple(of: Self.blockSize),
            body.count <= Int(Int32.max)
        else { throw .undecodable }
        Scratch.grow(&scratch, to: body.count + Self.blockSize)
        var first: Int32 = 0
        var last: Int32 = 0
        let good = scratch.withUnsafeMutableBufferPointer { out in
            key.withUnsafeBufferPointer { key in
                body.withUnsafeBufferPointer { body in
                    EVP_DecryptInit_ex(context, nil, nil, key.baseAddress, nil) == 1
                        && EVP_DecryptUpdate(
                            context, out.baseAddress, &first, body.baseAddress, Int32(body.count))
                            == 1
                        && EVP_DecryptFinal_ex(
                            context, out.baseAddress.map { $0 + Int(first) }, &last) == 1
                }
            }
        }
        guard good else {
            ERR_clear_error()
            throw .undecodable
        }
        return Int(first) + Int(last)
    }

    /// Pads and encrypts, as old clients do.
    ///
    /// - Parameter key: Exactly 16 bytes.
    package func seal(_ plain: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        precondition(key.count == Self.keySize && plain.count < Int(Int32.max) - Self.blockSize)
        return [UInt8](unsafeUninitializedCapacity: plain.count + Self.blockSize) { out, made in
            var first: Int32 = 0
            var last: Int32 = 0
            let good = key.withUnsafeBufferPointer { key in
                plain.withUnsafeBufferPointer { plain in
                    EVP_EncryptInit_ex(context, nil, nil, key.baseAddress, nil) == 1
                        && (plain.isEmpty
                            || EVP_EncryptUpdate(
                                context, out.baseAddress, &first, plain.baseAddress,
                                Int32(plain.count)) == 1)
                        && EVP_EncryptFinal_ex(
                            context, out.baseAddress.map { $0 + Int(first) }, &last) == 1
                }
            }
            precondition(good, "libcrypto could not encrypt")
            made = Int(first) + Int(last)
        }
    }
}
