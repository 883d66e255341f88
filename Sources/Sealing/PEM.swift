import COpenSSL

/// The first block of a PEM text (RFC 7468), read without ever asking a terminal for a passphrase.
struct PEM {
    let label: String
    private var content: [UInt8]
    /// Whether the block says of itself that it is encrypted, in the old way.
    let hasHeader: Bool

    /// Nil where there is no whole block.
    init?(_ text: Span<UInt8>) {
        guard text.count > 0, text.count <= 1 << 20 else { return nil }
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let found = text.withUnsafeBytes { raw in
            let source = BIO_new_mem_buf(raw.baseAddress, Int32(raw.count))
            defer { BIO_free(source) }
            return PEM_read_bio(source, &name, &header, &bytes, &count) == 1
        }
        defer {
            CRYPTO_free(name, #file, #line)
            CRYPTO_free(header, #file, #line)
            CRYPTO_clear_free(bytes, count, #file, #line)
        }
        guard found, let name, let bytes else {
            ERR_clear_error()
            return nil
        }
        label = String(cString: name)
        hasHeader = header.map { $0.pointee != 0 } ?? false
        content = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Hands the decoded bytes over, so that whoever holds a secret can overwrite its only copy.
    mutating func takeContent() -> [UInt8] {
        let taken = content
        content = []
        return taken
    }
}
