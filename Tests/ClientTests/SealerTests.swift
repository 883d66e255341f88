import Compression
import Curl
import Foundation
import Sealing
import Testing

@testable import Client

@Suite("sealing and opening")
struct SealerTests {
    private static let text = Array(#"{"batch_id":"b","events":[]}"#.utf8)
    private static let hex32 = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let hex16 = "000102030405060708090A0B0C0D0E0F"

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func octets32() -> [UInt8] { (0..<32).map { UInt8($0) } }

    private func pem(_ key: PrivateKey) -> String {
        let lines = Data(key.pkcs8).base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n"
    }

    private func field(_ request: HTTPRequest, _ name: String) -> String? {
        request.fields.first { $0.name == name }?.value
    }

    @Test("an aes128gcm body opens again, and its request is as the protocol has it")
    func contentCoding() throws {
        let sealer = try Sealer(
            .aes128gcm, app: "demo", keyID: "k-1", secret: bytes(Self.hex32 + "\n"))
        let request = sealer.request(for: Self.text)
        #expect(request.path == "/v1/apps/demo/batches")
        #expect(field(request, "Content-Type") == "application/json")
        #expect(field(request, "Content-Encoding") == "gzip, aes128gcm")
        #expect(field(request, "Authorization") == nil)
        let secret = octets32()
        var gzip: [UInt8] = []
        let count = try ContentCoding().open(
            request.body.span, secret: secret.span, into: &gzip)
        var text: [UInt8] = []
        let length = try Inflater().gunzip(
            gzip.span.extracting(first: count), limit: 1_000, into: &text)
        #expect(Array(text[..<length]) == Self.text)
        let opened = try BodyOpener.open(
            request.body, keyID: "k-1", secret: bytes(Self.hex32))
        #expect(opened == .init(profile: .aes128gcm, compression: .gzip, text: Self.text))
    }

    @Test("each body is sealed anew")
    func anew() throws {
        let sealer = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(Self.hex32))
        #expect(sealer.seal(Self.text) != sealer.seal(Self.text))
    }

    @Test("a secret as key add shows it is taken too")
    func base64url() throws {
        let octets = octets32()
        let shown = Base64URL.encode(octets.span)
        let sealer = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(" \(shown)\r\n"))
        let opened = try BodyOpener.open(
            sealer.seal(Self.text), keyID: "k", secret: bytes(Self.hex32))
        #expect(opened.text == Self.text)
    }

    @Test("a legacy body opens again and goes to its key's path")
    func legacy() throws {
        let sealer = try Sealer(.legacy, keyID: "old", secret: bytes(Self.hex16))
        let request = sealer.request(for: Self.text)
        #expect(request.path == "/v1/legacy/old")
        #expect(request.body.count.isMultiple(of: 16))
        let opened = try BodyOpener.open(request.body, keyID: "old", secret: bytes(Self.hex16))
        #expect(opened == .init(profile: .legacy, compression: .gzip, text: Self.text))
        let empty = sealer.seal([])
        #expect(empty.count == 16)
        #expect(
            try BodyOpener.open(empty, keyID: "old", secret: bytes(Self.hex16)).text.isEmpty)
    }

    @Test("a plain body is gzip with a token, and a dry run says so")
    func plain() throws {
        let sealer = try Sealer(.plain, app: "demo", token: "sj_1")
        let request = sealer.request(for: Self.text, isDryRun: true)
        #expect(request.path == "/v1/apps/demo/batches?dry_run=1")
        #expect(field(request, "Content-Encoding") == "gzip")
        #expect(field(request, "Content-Type") == "application/json")
        #expect(field(request, "Authorization") == "Bearer sj_1")
        var text: [UInt8] = []
        let count = try Inflater().gunzip(request.body.span, limit: 1_000, into: &text)
        #expect(Array(text[..<count]) == Self.text)
    }

    @Test("a jwe body opens again, whichever form the key has", arguments: KeyAlgorithm.allCases)
    func jwe(algorithm: KeyAlgorithm) throws {
        let key = PrivateKey(making: algorithm)
        for secret in [key.publicKey.jwkText(keyID: "k"), "\n" + pem(key)] {
            let sealer = try Sealer(
                .jwe, app: "demo", keyID: "k", secret: bytes(secret), token: "sj_1")
            let request = sealer.request(for: Self.text)
            #expect(request.path == "/v1/apps/demo/batches")
            #expect(field(request, "Content-Type") == "application/jose")
            #expect(field(request, "Content-Encoding") == nil)
            #expect(field(request, "Authorization") == "Bearer sj_1")
            let opened = try BodyOpener.open(
                request.body, keyID: "k", secret: bytes(pem(key)))
            #expect(opened == .init(profile: .jwe, compression: .deflate, text: Self.text))
        }
    }

    @Test(
        "what is missing or does not fit is named, and nothing of a secret",
        arguments: [
            (SealProfile.aes128gcm, nil, "k", SealerTests.hex32, nil, "id of the app"),
            (.aes128gcm, "a", nil, SealerTests.hex32, nil, "id of the key"),
            (.aes128gcm, "a", "k", nil, nil, "secret"),
            (.aes128gcm, "a", "k", SealerTests.hex16, nil, "32 octets"),
            (.aes128gcm, "a", "k", "0001", nil, "holds no key"),
            (.aes128gcm, "a", "k", "", nil, "holds no key"),
            (.aes128gcm, "a/b", "k", SealerTests.hex32, nil, "app id"),
            (.aes128gcm, "a", "k\"", SealerTests.hex32, nil, "key id"),
            (.aes128gcm, "a", "", SealerTests.hex32, nil, "key id"),
            (.aes128gcm, String(repeating: "a", count: 33), "k", SealerTests.hex32, nil, "app id"),
            (.legacy, nil, "k", SealerTests.hex32, nil, "16 octets"),
            (.legacy, nil, nil, SealerTests.hex16, nil, "id of the key"),
            (.plain, "a", nil, nil, nil, "token"), (.plain, "a", nil, nil, "", "token"),
            (.jwe, "a", "k", SealerTests.hex32, "t", "public key"),
            (.jwe, "a", "k", nil, "t", "public key"),
            (.jwe, "a", "k", "{}", "t", "secret file"),
            (.jwe, "a", "k", "-----BEGIN PRIVATE KEY-----", "t", "secret file"),
        ] as [(SealProfile, String?, String?, String?, String?, String)])
    func refused(
        profile: SealProfile, app: String?, keyID: String?, secret: String?, token: String?,
        told: String
    ) {
        let failure = #expect(throws: SealerFailure.self) {
            try Sealer(
                profile, app: app, keyID: keyID, secret: secret.map { Array($0.utf8) },
                token: token)
        }
        #expect(failure?.description.contains(told) == true, "\(failure?.description ?? "")")
        if let secret, secret.hasPrefix("0001") {
            #expect(failure?.description.contains(secret) == false)
        }
    }

    @Test("a body that cannot be opened says which step failed")
    func notOpened() throws {
        let sealed = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(Self.hex32))
            .seal(Self.text)
        func told(_ body: [UInt8], _ keyID: String, _ secret: String) -> String {
            do throws(SealerFailure) {
                _ = try BodyOpener.open(
                    body, keyID: keyID, secret: Array(secret.utf8),
                    limits: .init(sent: 100_000, inflated: 100))
                return "opened"
            } catch {
                return error.description
            }
        }
        #expect(told(sealed, "other", Self.hex32).contains("another key than other"))
        #expect(told(Array(sealed.dropLast()), "k", Self.hex32).contains("record"))
        #expect(told([1, 2, 3], "k", Self.hex32).contains("RFC 8188"))
        #expect(told(sealed, "k", Self.hex16).contains("blocks"))
        #expect(told(sealed, "k", pem(PrivateKey(making: .ecdhES))).contains("header"))
        let large = try Sealer(.aes128gcm, app: "a", keyID: "k", secret: bytes(Self.hex32))
            .seal([UInt8](repeating: 32, count: 101))
        #expect(told(large, "k", Self.hex32).contains("too large"))
        let key = PrivateKey(making: .ecdhES)
        let jwe = try Sealer(
            .jwe, app: "a", keyID: "k", secret: bytes(pem(key)), token: "t"
        ).seal(Self.text)
        #expect(told(jwe, "k", pem(PrivateKey(making: .ecdhES))).contains("another key"))
        #expect(told(jwe, "l", pem(key)).contains("another key than l"))
        #expect(told(jwe, "k", key.publicKey.jwkText(keyID: "k")).contains("private"))
        #expect(
            told([UInt8](repeating: 0, count: 100_001), "k", Self.hex32).contains("100001 bytes"))
    }
}
