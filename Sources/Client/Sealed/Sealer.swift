import Compression
import Curl
import Sealing

/// Makes requests of batches: compresses, seals and addresses them as a device of its profile does
/// (docs/protocol.md, "Endpoints"). A value, so that several threads can seal with copies of it.
package struct Sealer: Sendable {
    private enum Key: Sendable {
        case aes128gcm(keyID: String, secret: [UInt8])
        case jwe(keyID: String, key: PublicKey)
        case plain
        case legacy(secret: [UInt8])
    }

    /// How it seals.
    package let profile: SealProfile
    private let key: Key
    /// The path of the endpoint.
    private let path: String
    private let fields: [HTTPRequest.Field]

    /// Takes what the profile needs, and checks that it is there.
    ///
    /// - Parameters:
    ///   - app: The app's id; `legacy` needs none.
    ///   - keyID: The ingest key's id; `plain` needs none.
    ///   - secret: What the secret file holds: 32 bytes for `aes128gcm` and 16 for `legacy`, in hex or
    ///     base64url; a JWK, a public or a private PEM for `jwe`.
    ///   - token: The ingest token, for `jwe` and `plain`.
    /// - Throws: `SealerFailure` with what is missing or does not fit.
    package init(
        _ profile: SealProfile, app: String? = nil, keyID: String? = nil, secret: [UInt8]? = nil,
        token: String? = nil
    ) throws(SealerFailure) {
        self.profile = profile
        var fields: [HTTPRequest.Field] = []
        switch profile {
        case .aes128gcm:
            let keyID = try Self.id(keyID, "key", profile)
            key = .aes128gcm(keyID: keyID, secret: try Self.bytes(secret, count: 32, profile))
            fields.append(.init("Content-Type", "application/json"))
            fields.append(.init("Content-Encoding", "gzip, aes128gcm"))
        case .jwe:
            let keyID = try Self.id(keyID, "key", profile)
            key = .jwe(keyID: keyID, key: try Self.publicKey(secret, profile))
            fields.append(.init("Content-Type", "application/jose"))
            fields.append(.bearer(try Self.token(token, profile)))
        case .plain:
            key = .plain
            fields.append(.init("Content-Type", "application/json"))
            fields.append(.init("Content-Encoding", "gzip"))
            fields.append(.bearer(try Self.token(token, profile)))
        case .legacy:
            key = .legacy(secret: try Self.bytes(secret, count: 16, profile))
            fields.append(.init("Content-Type", "application/octet-stream"))
        }
        self.fields = fields
        path =
            profile == .legacy
            ? "/v1/legacy/\(try Self.id(keyID, "key", profile))"
            : "/v1/apps/\(try Self.id(app, "app", profile))/batches"
    }

    /// The request that posts `text`, sealed anew each time.
    ///
    /// - Parameter isDryRun: Whether the server is to judge the batch and not to store it.
    package func request(for text: [UInt8], isDryRun: Bool = false) -> HTTPRequest {
        HTTPRequest(
            .post, isDryRun ? path + "?dry_run=1" : path, fields: fields, body: seal(text))
    }

    /// The sealed body alone.
    package func seal(_ text: [UInt8]) -> [UInt8] {
        switch key {
        case .aes128gcm(let keyID, let secret):
            return ContentCoding.seal(
                Gzip.compress(text.span).span, keyID: Array(keyID.utf8).span, secret: secret.span)
        case .jwe(let keyID, let key):
            return JWE.seal(
                Deflate.compress(text.span).span, keyID: keyID, key: key, isCompressed: true)
        case .plain:
            return Gzip.compress(text.span)
        case .legacy(let secret):
            // An empty batch of these clients is nothing at all, and not nothing compressed.
            let content = text.isEmpty ? [] : Gzip.compress(text.span)
            return LegacyCipher().seal(content.span, key: secret.span)
        }
    }

    private static func id(
        _ id: String?, _ what: String, _ profile: SealProfile
    ) throws(SealerFailure) -> String {
        guard let id else { throw missing("the id of the \(what)", profile) }
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(isIDByte) else {
            throw SealerFailure(
                "cannot use this \(what) id: it must be 1 to 32 of A-Z, a-z, 0-9, _ and -")
        }
        return id
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func token(
        _ token: String?, _ profile: SealProfile
    ) throws(SealerFailure) -> String {
        guard let token, !token.isEmpty else { throw missing("an ingest token", profile) }
        return token
    }

    private static func bytes(
        _ secret: [UInt8]?, count: Int, _ profile: SealProfile
    ) throws(SealerFailure) -> [UInt8] {
        guard let secret else { throw missing("the key's secret", profile) }
        guard case .symmetric(let bytes) = try SecretFile(secret), bytes.count == count else {
            throw SealerFailure(
                ofSecret: "\(profile.rawValue) needs a key of \(count) octets")
        }
        return bytes
    }

    private static func publicKey(
        _ secret: [UInt8]?, _ profile: SealProfile
    ) throws(SealerFailure) -> PublicKey {
        guard let secret else { throw missing("the public key", profile) }
        switch try SecretFile(secret) {
        case .publicKey(let key): return key
        case .privateKey(let key): return key.publicKey
        case .symmetric:
            throw SealerFailure(ofSecret: "jwe needs the public key as a JWK or a PEM")
        }
    }

    private static func missing(_ what: String, _ profile: SealProfile) -> SealerFailure {
        SealerFailure("cannot seal as \(profile.rawValue): \(what) is missing")
    }
}

/// How a body is sealed (docs/protocol.md, "Endpoints").
package enum SealProfile: String, CaseIterable, Sendable {
    /// gzip, then RFC 8188: the default.
    case aes128gcm
    /// RFC 7516, with a public key and an ingest token.
    case jwe
    /// gzip and an ingest token, behind a TLS proxy.
    case plain
    /// gzip, then AES-128-ECB: what clients of 2013 do.
    case legacy
}

/// Why bodies cannot be sealed or opened with what was given: what is missing or wrong. Never anything
/// of a key or a token.
package struct SealerFailure: Error, Equatable, CustomStringConvertible {
    /// One line to show: what cannot be done, and why.
    package let description: String
    /// What is wrong with the secret file, for who knows its name; nil where it is something else.
    package let secretFault: String?

    init(_ description: String) {
        self.description = description
        secretFault = nil
    }

    init(ofSecret fault: String) {
        description = "cannot use the secret file: \(fault)"
        secretFault = fault
    }
}
