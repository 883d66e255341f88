import COpenSSL

/// Opens bodies of the content coding `aes128gcm` (RFC 8188; docs/protocol.md, aes128gcm). One for
/// each worker; not to be used by two threads at once.
package final class ContentCoding {
    /// Bytes a record may have, tag included (RFC 8188 §2: more than 17; docs/protocol.md: 1 MiB).
    package static let recordSizes = 18...1_048_576
    static let saltSize = 16

    private let cipher = AESGCM(.bits128)
    /// Whether the first record of the body that was opened last is good: who sealed it has the key.
    package private(set) var hasOpenedRecord = false

    package init() {}

    /// Where the key id stands in a body, in bytes (RFC 8188 §2.1). It may be empty.
    package static func keyID(of body: Span<UInt8>) throws(SealError) -> Range<Int> {
        try ContentCodingHeader(body).keyID
    }

    /// The size of its records that a body's header block names, in bytes (RFC 8188 §2.1), whether or not any may
    /// have it.
    package static func recordSize(of body: Span<UInt8>) throws(SealError) -> Int {
        try ContentCodingHeader(body).recordSize
    }

    /// How many of a body's first bytes the header block takes, as far as those that are here tell: all of
    /// it once its fixed part is here, that part until then (RFC 8188 §2.1). At most 276.
    package static func headerBytes(of opening: Span<UInt8>) -> Int {
        let fixed = ContentCodingHeader.fixed
        return opening.count < fixed ? fixed : fixed + Int(opening[fixed - 1])
    }

    /// How many records a body would have by its header block and its length; 0 where that is no such
    /// body.
    package static func recordCount(of body: Span<UInt8>) -> Int {
        guard let header = try? ContentCodingHeader(body), recordSizes.contains(header.recordSize)
        else { return 0 }
        return (body.count - header.end + header.recordSize - 1) / header.recordSize
    }

    /// Opens a body: every record's tag, delimiter and place, and that the last one ends it.
    ///
    /// - Parameters:
    ///   - secret: The input keying material, of any length.
    ///   - scratch: Grown to the body's size.
    /// - Returns: How many bytes from the scratch's first are the content; may be 0.
    package func open(
        _ body: Span<UInt8>, secret: Span<UInt8>, into scratch: inout [UInt8]
    ) throws(SealError) -> Int {
        hasOpenedRecord = false
        let header = try ContentCodingHeader(body)
        guard Self.recordSizes.contains(header.recordSize), header.end < body.count
        else { throw .undecodable }
        Scratch.grow(&scratch, to: body.count)
        var keys = RecordKeys(secret: secret, salt: body.extracting(first: Self.saltSize))
        defer { keys.cleanse() }
        guard keys.withKey({ cipher.rekey($0) }) else { throw .undecodable }
        let count = body.withUnsafeBufferPointer { body in
            scratch.withUnsafeMutableBufferPointer { out in
                records(of: body, after: header, keys: keys, into: out)
            }
        }
        guard let count else { throw .undecodable }
        return count
    }

    private func records(
        of body: UnsafeBufferPointer<UInt8>, after header: ContentCodingHeader, keys: RecordKeys,
        into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        var made = 0
        var at = header.end
        var number: UInt64 = 0
        while at < body.count {
            let size = min(header.recordSize, body.count - at)
            let isLast = at + size == body.count
            // At least the delimiter and the tag (RFC 8188 §2).
            guard size > AESGCM.tagSize else { return nil }
            let sealed = UnsafeBufferPointer(rebasing: body[at..<at + size - AESGCM.tagSize])
            let tag = UnsafeBufferPointer(rebasing: body[at + sealed.count..<at + size])
            let room = UnsafeMutableBufferPointer(rebasing: out[made..<made + sealed.count])
            let good = keys.withNonce(number) {
                cipher.open(sealed, tag: tag, nonce: $0, associated: nothing, into: room)
            }
            guard good else { return nil }
            hasOpenedRecord = true
            var end = sealed.count
            while end > 0, room[end - 1] == 0 { end -= 1 }
            guard end > 0, room[end - 1] == (isLast ? 2 : 1) else { return nil }
            made += end - 1
            at += size
            number += 1
        }
        return made
    }
}

/// The header block of RFC 8188 §2.1: salt (16 bytes), record size (4), length of the key id (1),
/// key id.
struct ContentCodingHeader {
    let recordSize: Int
    let keyID: Range<Int>

    /// Where the first record begins.
    var end: Int { keyID.upperBound }

    /// Bytes in front of the key id.
    static let fixed = ContentCoding.saltSize + 5

    /// Reads it, judging nothing but that it is whole.
    init(_ body: Span<UInt8>) throws(SealError) {
        let fixed = Self.fixed
        guard body.count >= fixed, body.count - fixed >= Int(body[fixed - 1])
        else { throw .undecodable }
        recordSize =
            Int(body[16]) << 24 | Int(body[17]) << 16 | Int(body[18]) << 8 | Int(body[19])
        keyID = fixed..<fixed + Int(body[fixed - 1])
    }
}

extension ContentCoding {
    /// Seals as a device does: records as large as they may be, no padding.
    ///
    /// - Parameters:
    ///   - keyID: At most 255 bytes.
    ///   - recordSize: Bytes of a record with its tag, within `recordSizes`.
    ///   - salt: 16 bytes, fresh for each body: salt and secret together make the nonces.
    package static func seal(
        _ plain: Span<UInt8>, keyID: Span<UInt8>, secret: Span<UInt8>, recordSize: Int = 4096,
        salt: [UInt8] = RandomBytes.make(16)
    ) -> [UInt8] {
        precondition(
            recordSizes.contains(recordSize) && keyID.count <= 255 && salt.count == saltSize)
        let step = recordSize - AESGCM.tagSize - 1
        let cipher = AESGCM(.bits128)
        var keys = RecordKeys(secret: secret, salt: salt.span)
        defer { keys.cleanse() }
        var out = salt
        out.reserveCapacity(
            saltSize + 5 + keyID.count + plain.count + (plain.count / step + 1) * 17)
        for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: recordSize >> shift)) }
        out.append(UInt8(keyID.count))
        for index in keyID.indices { out.append(keyID[index]) }
        var record = [UInt8]()
        var at = 0
        var number: UInt64 = 0
        repeat {
            let end = min(at + step, plain.count)
            record.removeAll(keepingCapacity: true)
            for index in at..<end { record.append(plain[index]) }
            record.append(end == plain.count ? 2 : 1)
            keys.withKey { key in
                keys.withNonce(number) { nonce in
                    out += cipher.seal(
                        record.span, key: Span(_unsafeElements: key),
                        nonce: Span(_unsafeElements: nonce), associated: [UInt8]().span)
                }
            }
            at = end
            number += 1
        } while at < plain.count
        return out
    }
}

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
