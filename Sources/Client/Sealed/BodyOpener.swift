import Compression
import Sealing

/// Opens a sealed body with its key: for app developers whose batches are
/// rejected. Unlike the server, it names what is wrong.
package enum BodyOpener {
    /// A body's content, and how it was sealed.
    package struct Opened: Sendable, Equatable {
        /// How it was sealed.
        package let profile: SealProfile
        /// The content, which is JSON unless its sender erred.
        package let text: [UInt8]
    }

    /// Opens `body`. The secret's form determines the profile: 32 bytes are `aes128gcm`, 16 are `legacy`,
    /// a private PEM is `jwe`.
    ///
    /// - Parameters:
    ///   - keyID: The key for which it should be sealed; where the body names its key, it is compared.
    ///   - secret: What the secret file holds.
    ///   - limit: Bytes the content may have.
    /// - Throws: `SealerFailure` with the step that failed.
    package static func open(
        _ body: [UInt8], keyID: String, secret: [UInt8], limit: Int = 64 << 20
    ) throws(SealerFailure) -> Opened {
        switch try SecretFile(secret) {
        case .symmetric(let bytes) where bytes.count == 32:
            let text = try openContentCoding(body, keyID, bytes, limit)
            return Opened(profile: .aes128gcm, text: text)
        case .symmetric(let bytes):
            return Opened(profile: .legacy, text: try openLegacy(body, bytes, limit))
        case .privateKey(let key):
            return Opened(profile: .jwe, text: try openJWE(body, keyID, key, limit))
        case .publicKey:
            throw SealerFailure(
                "cannot open the body: a public key only seals; give the private one")
        }
    }

    private static func openContentCoding(
        _ body: [UInt8], _ keyID: String, _ secret: [UInt8], _ limit: Int
    ) throws(SealerFailure) -> [UInt8] {
        guard let named = try? ContentCoding.keyID(of: body.span) else {
            throw SealerFailure("cannot open the body: it has no header as RFC 8188 wants one")
        }
        try check(body[named], is: keyID)
        var content: [UInt8] = []
        guard let count = try? ContentCoding().open(body.span, secret: secret.span, into: &content)
        else {
            throw SealerFailure(
                "cannot open the body: a record is damaged, cut short or sealed with another secret"
            )
        }
        return try inflated(content[..<count], limit)
    }

    private static func openLegacy(
        _ body: [UInt8], _ secret: [UInt8], _ limit: Int
    ) throws(SealerFailure) -> [UInt8] {
        var content: [UInt8] = []
        guard let count = try? LegacyCipher().open(body.span, key: secret.span, into: &content)
        else {
            throw SealerFailure(
                "cannot open the body: it is not whole blocks with PKCS#7 padding under this key")
        }
        guard count > 0 else { return [] }
        return try inflated(content[..<count], limit)
    }

    private static func openJWE(
        _ body: [UInt8], _ keyID: String, _ key: PrivateKey, _ limit: Int
    ) throws(SealerFailure) -> [UInt8] {
        var body = body
        // An editor adds a line's end that was not sent.
        while body.last == 0x0A || body.last == 0x0D { body.removeLast() }
        guard let header = try? JWE.Header.parse(body.span) else {
            throw SealerFailure(
                "cannot open the body: its header is none that the protocol allows")
        }
        try check(header.keyID[...], is: keyID)
        var content: [UInt8] = []
        guard let count = try? JWE().open(body.span, header: header, key: key, into: &content)
        else {
            throw SealerFailure(
                "cannot open the body: it is damaged or sealed for another key than this one")
        }
        guard header.isCompressed else { return Array(content[..<count]) }
        var text: [UInt8] = []
        let sealed = content.span.extracting(first: count)
        guard let length = try? Inflater().inflateRaw(sealed, limit: limit, into: &text) else {
            throw SealerFailure("cannot inflate the body: it is no raw deflate, or too large")
        }
        return Array(text[..<length])
    }

    /// Where no compression was declared, the content is the text: none begins with gzip's magic.
    private static func inflated(
        _ content: ArraySlice<UInt8>, _ limit: Int
    ) throws(SealerFailure) -> [UInt8] {
        guard content.starts(with: [0x1F, 0x8B]) else { return Array(content) }
        var text: [UInt8] = []
        guard let count = try? Inflater().gunzip(Array(content).span, limit: limit, into: &text)
        else {
            throw SealerFailure(
                "cannot inflate the body: it is no single gzip member, or too large")
        }
        return Array(text[..<count])
    }

    private static func check(
        _ named: some Sequence<UInt8>, is keyID: String
    ) throws(SealerFailure) {
        guard !named.elementsEqual(keyID.utf8) else { return }
        throw SealerFailure("cannot open the body: it names another key than \(keyID)")
    }
}
