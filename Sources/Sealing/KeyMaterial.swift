/// An ingest key's secret: made, imported, stored and read again (docs/operation.md, `key add`).
package enum KeyMaterial: Sendable {
    /// Bytes of a symmetric key.
    case symmetric([UInt8])
    case pair(PrivateKey)

    /// What a profile needs.
    package enum Kind: Sendable, Equatable {
        /// 32 bytes.
        case aes128gcm
        /// 16 bytes.
        case legacy
        /// A key pair, of that algorithm if one is given.
        case jwe(KeyAlgorithm?)

        /// Bytes of a symmetric key, nil for pairs.
        package var bytes: Int? {
            switch self {
            case .aes128gcm: 32
            case .legacy: LegacyCipher.keySize
            case .jwe: nil
            }
        }
    }

    /// A new random key; a pair without a given algorithm is for ECDH-ES.
    package static func make(_ kind: Kind) -> KeyMaterial {
        switch kind {
        case .aes128gcm, .legacy: .symmetric(RandomBytes.make(kind.bytes ?? 32))
        case .jwe(let algorithm): .pair(PrivateKey(making: algorithm ?? .ecdhES))
        }
    }

    /// Reads an operator's secret file: hex, or base64url as `key add` shows a secret, with white space
    /// around it; PKCS#8 PEM for a pair.
    package static func imported(
        _ text: Span<UInt8>, as kind: Kind
    ) throws(KeyMaterialError) -> KeyMaterial {
        guard let wanted = kind.bytes else {
            let key = try PrivateKey(pem: text)
            // Longer ones that are stored go on working.
            guard key.algorithm != .rsaOAEP256 || key.bits <= KeyPair.maxBits else {
                throw .tooLong(bits: key.bits)
            }
            return try checked(key, as: kind)
        }
        var start = 0
        var end = text.count
        while start < end, isWhiteSpace(text[start]) { start += 1 }
        while end > start, isWhiteSpace(text[end - 1]) { end -= 1 }
        let digits = text.extracting(start..<end)
        var bytes = Hex.decode(digits)
        let symmetric = [Kind.aes128gcm, .legacy].compactMap(\.bytes)
        if bytes == nil, symmetric.map(Base64URL.digits).contains(digits.count) {
            bytes = Base64URL.decode(digits)
        }
        guard let bytes else { throw .notDigits }
        guard bytes.count == wanted else {
            throw .wrongLength(bytes: bytes.count, wanted: wanted)
        }
        return .symmetric(bytes)
    }

    /// Reads what `stored` gave: raw bytes, or PKCS#8 DER for a pair.
    package init(stored: Span<UInt8>, as kind: Kind) throws(KeyMaterialError) {
        guard let wanted = kind.bytes else {
            self = try Self.checked(PrivateKey(pkcs8: stored), as: kind)
            return
        }
        guard stored.count == wanted else {
            throw .wrongLength(bytes: stored.count, wanted: wanted)
        }
        self = .symmetric(stored.withUnsafeBufferPointer { Array($0) })
    }

    /// The bytes to be wrapped and stored.
    package var stored: [UInt8] {
        switch self {
        case .symmetric(let bytes): bytes
        case .pair(let key): key.pkcs8
        }
    }

    private static func checked(
        _ key: PrivateKey, as kind: Kind
    ) throws(KeyMaterialError) -> KeyMaterial {
        if case .jwe(let algorithm?) = kind, algorithm != key.algorithm {
            throw .wrongAlgorithm(is: key.algorithm, wanted: algorithm)
        }
        return .pair(key)
    }
}
