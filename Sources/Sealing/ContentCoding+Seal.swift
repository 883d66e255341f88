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
