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

/// Why a key that an operator brought cannot be used. Says what to do; never holds anything of the
/// key.
package enum KeyMaterialError: Error, Equatable, CustomStringConvertible {
    case notDigits
    case wrongLength(bytes: Int, wanted: Int)
    case notPEM
    case encrypted
    /// A PEM label that is not `PRIVATE KEY`.
    case notPKCS8(label: String)
    /// PEM, DER or JWK that does not hold together.
    case damaged
    case unsupportedKey
    case unsupportedCurve
    case tooShort(bits: Int)
    case tooLong(bits: Int)
    case wrongAlgorithm(is: KeyAlgorithm, wanted: KeyAlgorithm)

    package var description: String {
        switch self {
        case .notDigits:
            "the key is neither hex nor base64url; give its octets in one of them and nothing else"
        case .wrongLength(let bytes, let wanted):
            "the key has \(bytes) octets; this profile needs exactly \(wanted)"
        case .notPEM:
            "the key is not PEM; give a PKCS#8 file that begins with -----BEGIN PRIVATE KEY-----"
        case .encrypted:
            "the key is encrypted; take its passphrase off with openssl pkcs8 -topk8 -nocrypt"
        case .notPKCS8(let label):
            "the PEM holds \(label), not PRIVATE KEY; convert it with openssl pkcs8 -topk8 -nocrypt"
        case .damaged:
            "the key is damaged; export it again"
        case .unsupportedKey:
            "the key is of another kind; use an EC key on P-256 or an RSA key"
        case .unsupportedCurve:
            "the key is on another curve; use P-256"
        case .tooShort(let bits):
            "the RSA key has \(bits) bits; use one of 2048 to 4096 bits"
        case .tooLong(let bits):
            "the RSA key has \(bits) bits, and each body would cost that much; use one of 2048 to 4096 bits"
        case .wrongAlgorithm(let found, let wanted):
            "the key is for \(found.rawValue) and not for \(wanted.rawValue); give the other --alg"
        }
    }
}
