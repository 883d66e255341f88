import Compression
import JSON
import Sealing

/// Opens a sealed body with its key: for app developers whose batches are rejected. It refuses what the server
/// refuses, and unlike the server it names what is wrong.
package enum BodyOpener {
    /// A body's content, and how it was sealed.
    package struct Opened: Sendable, Equatable {
        /// How it was sealed.
        package let profile: SealProfile
        /// How it was compressed before; nil: not at all. Where the sender says so differs by profile, and is not
        /// seen here: for `aes128gcm` it is the header field `Content-Encoding`.
        package let compression: Compression?
        /// The content, which is JSON unless its sender erred.
        package let text: [UInt8]
        /// Why the server refuses the text; nil where it is one I-JSON object, or where nothing at all was sealed for
        /// `legacy`.
        package var complaint: String?
    }

    /// Ways in which a text may be compressed before it is sealed.
    package enum Compression: String, Sendable {
        case gzip
        /// `zip: DEF` of JWE.
        case deflate
    }

    /// What was sealed: a text, and how it was compressed.
    private typealias Content = (text: [UInt8], compression: Compression?)

    /// How much a body may have (docs/operation.md, Settings).
    package struct Limits: Sendable {
        let sent: Int
        let inflated: Int
        let elements: Int

        /// - Parameters:
        ///   - sent: `max-body-bytes`
        ///   - inflated: `max-inflated-bytes`
        ///   - elements: `max-elements`
        package init(
            sent: Int = 1 << 20, inflated: Int = 8 << 20,
            elements: Int = Scanner.defaultMaxElements
        ) {
            self.sent = sent
            self.inflated = inflated
            self.elements = elements
        }
    }

    /// Opens `body`. The secret's form determines the profile: 32 bytes are `aes128gcm`, 16 are `legacy`,
    /// a private PEM is `jwe`.
    ///
    /// - Parameters:
    ///   - keyID: The key for which it should be sealed; where the body names its key, it is compared.
    ///   - secret: What the secret file holds.
    /// - Throws: `SealerFailure` with the step that failed.
    package static func open(
        _ body: [UInt8], keyID: String, secret: [UInt8], limits: Limits = Limits()
    ) throws(SealerFailure) -> Opened {
        let secret = try SecretFile(secret)
        guard body.count <= limits.sent else {
            throw SealerFailure(
                "cannot open the body: it has \(body.count) bytes, and max-body-bytes is "
                    + "\(limits.sent); split the batch")
        }
        do throws(SealerFailure) {
            return try open(body, keyID, secret, limits)
        } catch {
            guard let filler = filler(after: body, keyID, secret, limits) else { throw error }
            throw SealerFailure(
                "cannot open the body: it is followed by \(name(of: filler)); send it without")
        }
    }

    /// What editors, `echo` and buffers that are too long have left after a body; nil where it does not open without
    /// it.
    private static func filler(
        after body: [UInt8], _ keyID: String, _ secret: SecretFile, _ limits: Limits
    ) -> [UInt8]? {
        let filler = body.suffix(maxFiller).reversed().prefix { byte in
            byte == 0 || byte == 0x20 || (0x09...0x0D).contains(byte)
        }
        // A body's own last byte may be one of these.
        for count in stride(from: 1, through: filler.count, by: 1) {
            let bare = Array(body.dropLast(count))
            if (try? open(bare, keyID, secret, limits)) != nil {
                return Array(body.suffix(count))
            }
        }
        return nil
    }

    private static let maxFiller = 64

    private static func open(
        _ body: [UInt8], _ keyID: String, _ secret: SecretFile, _ limits: Limits
    ) throws(SealerFailure) -> Opened {
        switch secret {
        case .symmetric(let bytes) where bytes.count == 32:
            return try opened(.aes128gcm, openContentCoding(body, keyID, bytes, limits), limits)
        case .symmetric(let bytes):
            guard let content = try openLegacy(body, bytes, limits) else {
                return Opened(profile: .legacy, compression: nil, text: [])
            }
            return try opened(.legacy, content, limits)
        case .privateKey(let key):
            return try opened(.jwe, openJWE(body, keyID, key, limits), limits)
        case .publicKey:
            throw SealerFailure(
                "cannot open the body: a public key only seals; give the private one")
        }
    }

    private static func opened(
        _ profile: SealProfile, _ content: Content, _ limits: Limits
    ) throws(SealerFailure) -> Opened {
        guard !content.text.starts(with: GzipComplaint.magic) else {
            throw SealerFailure(
                content.compression == nil
                    ? "cannot inflate the body: it is gzip inside, and profile jwe has raw deflate "
                        + "there (RFC 1951), with zip DEF in the header"
                    : "cannot inflate the body: it is compressed twice; compress it once")
        }
        return Opened(
            profile: profile, compression: content.compression, text: content.text,
            complaint: TextComplaint.about(content.text, maxElements: limits.elements))
    }

    private static func openContentCoding(
        _ body: [UInt8], _ keyID: String, _ secret: [UInt8], _ limits: Limits
    ) throws(SealerFailure) -> Content {
        guard let named = try? ContentCoding.keyID(of: body.span) else {
            throw SealerFailure("cannot open the body: it has no header as RFC 8188 wants one")
        }
        try check(body[named], is: keyID)
        let sizes = ContentCoding.recordSizes
        if let size = try? ContentCoding.recordSize(of: body.span), !sizes.contains(size) {
            throw SealerFailure(
                "cannot open the body: its header says records of \(size) bytes, and they have to "
                    + "have \(sizes.lowerBound) to \(sizes.upperBound)")
        }
        var content: [UInt8] = []
        guard let count = try? ContentCoding().open(body.span, secret: secret.span, into: &content)
        else {
            throw SealerFailure(
                "cannot open the body: a record is damaged, cut short, followed by something or "
                    + "sealed with another secret")
        }
        // Where no compression was declared, the content is the text: none begins with gzip's magic.
        guard content[..<count].starts(with: GzipComplaint.magic) else {
            return (Array(content[..<count]), nil)
        }
        return (try gunzip(Array(content[..<count]), limits), .gzip)
    }

    /// Nil for a body of nothing at all.
    private static func openLegacy(
        _ body: [UInt8], _ secret: [UInt8], _ limits: Limits
    ) throws(SealerFailure) -> Content? {
        var content: [UInt8] = []
        guard let count = try? LegacyCipher().open(body.span, key: secret.span, into: &content)
        else {
            throw SealerFailure(
                "cannot open the body: it is not whole blocks with PKCS#7 padding under this key")
        }
        guard count > 0 else { return nil }
        return (try gunzip(Array(content[..<count]), limits), .gzip)
    }

    private static func openJWE(
        _ body: [UInt8], _ keyID: String, _ key: PrivateKey, _ limits: Limits
    ) throws(SealerFailure) -> Content {
        guard let header = try? JWE.Header.parse(body.span) else {
            throw SealerFailure(
                "cannot open the body: its header is none that the protocol allows")
        }
        try check(header.keyID[...], is: keyID)
        var content: [UInt8] = []
        guard let count = try? JWE().open(body.span, header: header, key: key, into: &content)
        else {
            let reason =
                header.algorithm == key.algorithm
                ? JWEComplaint.about(body)
                : "its alg is \(header.algorithm.rawValue), and the key is of "
                    + key.algorithm.rawValue
            throw SealerFailure("cannot open the body: \(reason)")
        }
        guard header.isCompressed else { return (Array(content[..<count]), nil) }
        var text: [UInt8] = []
        let sealed = content.span.extracting(first: count)
        do throws(InflateError) {
            let length = try Inflater().inflateRaw(sealed, limit: limits.inflated, into: &text)
            return (Array(text[..<length]), .deflate)
        } catch {
            guard error == .damaged else { throw tooLarge(limits) }
            throw SealerFailure(
                "cannot inflate the body: it is no single stream of raw deflate (RFC 1951), as zip "
                    + "says, or something follows it")
        }
    }

    private static func gunzip(
        _ content: [UInt8], _ limits: Limits
    ) throws(SealerFailure) -> [UInt8] {
        var text: [UInt8] = []
        do throws(InflateError) {
            let count = try Inflater().gunzip(content.span, limit: limits.inflated, into: &text)
            return Array(text[..<count])
        } catch {
            guard error == .damaged else { throw tooLarge(limits) }
            throw SealerFailure("cannot inflate the body: \(GzipComplaint.about(content))")
        }
    }

    private static func tooLarge(_ limits: Limits) -> SealerFailure {
        SealerFailure(
            "cannot inflate the body: it is too large, more than the \(limits.inflated) bytes of "
                + "max-inflated-bytes; split the batch")
    }

    private static func check(
        _ named: some Sequence<UInt8>, is keyID: String
    ) throws(SealerFailure) {
        guard !named.elementsEqual(keyID.utf8) else { return }
        throw SealerFailure("cannot open the body: it names another key than \(keyID)")
    }

    private static func name(of filler: [UInt8]) -> String {
        switch filler {
        case [0x0A]: "a line feed"
        case [0x0D, 0x0A]: "a carriage return and a line feed"
        default: "\(filler.count == 1 ? "a byte" : "\(filler.count) bytes") of white space or zeros"
        }
    }
}
