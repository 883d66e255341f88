import Sealing

/// The content of a secret file, as far as its form determines it.
enum SecretFile {
    case symmetric([UInt8])
    case privateKey(PrivateKey)
    case publicKey(PublicKey)

    /// Reads a JWK, a PEM (public or PKCS#8), or a symmetric key in hex or in base64url, which is how
    /// `key add` shows one. The two cannot be taken for each other: the keys have 16 or 32 bytes.
    init(_ content: [UInt8]) throws(SealerFailure) {
        let text = Self.trimmed(content[...])
        do throws(KeyMaterialError) {
            if text.first == UInt8(ascii: "{") {
                self = .publicKey(try PublicKey(text: Array(text).span))
                return
            }
            if text.starts(with: "-----BEGIN PUBLIC KEY-----".utf8) {
                self = .publicKey(try PublicKey(text: Array(text).span))
                return
            }
            if text.starts(with: "-----BEGIN".utf8) {
                self = .privateKey(try PrivateKey(pem: Array(text).span))
                return
            }
        } catch {
            throw SealerFailure(ofSecret: "\(error)")
        }
        guard let bytes = Self.bytes(of: Array(text)) else {
            throw SealerFailure(
                ofSecret: "it holds no key; "
                    + "give 16 or 32 octets in hex or base64url, a JWK or a PEM")
        }
        self = .symmetric(bytes)
    }

    private static func bytes(of text: [UInt8]) -> [UInt8]? {
        switch text.count {
        case 32, 64: Sealing.Hex.decode(text.span)
        // 16 and 32 bytes in base64url.
        case 22, 43: Base64URL.decode(text.span)
        default: nil
        }
    }

    private static func trimmed(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var text = content.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
