import Compression
import Events
import Sealing
import Testing

@testable import Ingest

/// From a body as it was sent to a verdict, in each profile.
@Suite("a worker")
struct IngestWorkerTests {
    /// A sealed body and all that is needed to take it.
    struct Sealed: Sendable, CustomStringConvertible {
        let description: String
        let body: [UInt8]
        let admission: Admission
        let directory: Directory
    }

    static let limits = IngestLimits(
        maxInflatedBytes: 1 << 20, maxBatchEvents: 100, maxEventAge: 400 * 86_400_000)
    static let text = Array(
        BatchText(events: [#"{"name":"app.tap","time":\#(arrival),"attributes":{"n":1}}"#]).text
            .utf8)

    /// The same batch in every profile and form.
    static let all: [Sealed] = {
        let app = Directory.App(id: 1, name: "shop", allowsPlain: true)
        let symmetric = RandomBytes.make(32)
        let old = RandomBytes.make(16)
        let curve = PrivateKey(making: .ecdhES)
        let rsa = PrivateKey(making: .rsaOAEP256)
        func key(_ name: String, _ profile: Profile, _ material: KeyMaterial) -> Directory.Key {
            Directory.Key(
                id: 1, name: name, app: app, profile: profile, isRevoked: false, material: material)
        }
        let token = "sj_token"
        let directory = Directory(
            apps: [app],
            keys: [
                key("gcm", .aes128gcm, .symmetric(symmetric)), key("old", .legacy, .symmetric(old)),
                key("ec", .jwe, .pair(curve)), key("rsa", .jwe, .pair(rsa)),
            ],
            tokens: [
                Hashing.sha256(Array(token.utf8).span): .init(
                    id: 1, scope: .ingest, app: 1, isRevoked: false)
            ])
        func admission(_ type: String, _ codings: [String]) -> Admission? {
            guard let format = try? BodyFormat(contentType: type, codings: codings) else {
                return nil
            }
            return try? Admission(
                app: app, format: format, authorization: "Bearer " + token, directory: directory)
        }
        let gzip = Gzip.compress(text.span)
        let deflated = Deflate.compress(text.span)
        let forms: [(String, [UInt8], Admission?)] = [
            (
                "aes128gcm",
                ContentCoding.seal(
                    gzip.span, keyID: Array("gcm".utf8).span, secret: symmetric.span, recordSize: 64
                ),
                admission("application/json", ["gzip, aes128gcm"])
            ),
            ("plain", gzip, admission("application/json", ["gzip"])),
            (
                "legacy", LegacyCipher().seal(gzip.span, key: old.span),
                try? Admission(legacyKey: "old", directory: directory)
            ),
            (
                "jwe ECDH-ES",
                JWE.seal(deflated.span, keyID: "ec", key: curve.publicKey, isCompressed: true),
                admission("application/jose", [])
            ),
            (
                "jwe RSA-OAEP-256",
                JWE.seal(text.span, keyID: "rsa", key: rsa.publicKey, encryption: .a256GCM),
                admission("application/jose", [])
            ),
        ]
        return forms.compactMap { name, body, admission in
            admission.map {
                Sealed(description: name, body: body, admission: $0, directory: directory)
            }
        }
    }()

    private static func verdict(
        _ body: [UInt8], _ sealed: Sealed, by worker: IngestWorker
    ) -> Result<Verdict, Refusal> {
        Result { () throws(Refusal) in
            try worker.accept(
                body.span, sealed.admission, arrival: arrival, directory: sealed.directory)
        }
    }

    @Test("takes the same batch in every profile", arguments: all)
    func takes(sealed: Sealed) throws {
        let worker = IngestWorker(limits: Self.limits, pepper: [1, 2, 3])
        guard case .accepted(let batch) = try Self.verdict(sealed.body, sealed, by: worker).get()
        else {
            Issue.record("not accepted")
            return
        }
        #expect(batch.batchID == "b-1" && batch.events.count == 1 && batch.names == ["app.tap"])
        #expect(
            batch.bodyBytes == sealed.body.count && batch.profile == sealed.admission.format.profile
        )
        #expect(Self.all.count == 5)
    }

    @Test("a flipped bit is refused, unless it stands where nothing counts", arguments: all)
    func bitFlips(sealed: Sealed) throws {
        let worker = IngestWorker(limits: Self.limits, pepper: [1, 2, 3])
        // The time, the two hints and the text flag of a bare gzip header (RFC 1952 §2.3), and what
        // fills the deflate stream's last octet up.
        let last = sealed.body.count - 9
        let free: Set<Int> = sealed.description == "plain" ? [3, 4, 5, 6, 7, 8, 9, last] : []
        var state: UInt64 = 42
        for _ in 0..<10_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bit = Int(state >> 33) % (sealed.body.count * 8)
            var body = sealed.body
            body[bit / 8] ^= 1 << UInt8(bit % 8)
            switch Self.verdict(body, sealed, by: worker) {
            case .failure(.undecodable): break
            // The key id stands in the clear.
            case .failure(.unknownKey): #expect(sealed.admission.pathKey == nil)
            case .success(.accepted(let batch)) where free.contains(bit / 8):
                #expect(batch.batchID == "b-1" && batch.events.count == 1)
            case let other: Issue.record("bit \(bit): \(other)")
            }
        }
    }

    @Test("a body cut anywhere is undecodable", arguments: all)
    func truncations(sealed: Sealed) {
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        for length in 0..<sealed.body.count {
            guard
                case .failure(let refusal) = Self.verdict(
                    Array(sealed.body[..<length]), sealed, by: worker)
            else {
                Issue.record("cut at \(length) is accepted")
                continue
            }
            #expect(refusal == .undecodable || refusal == .unknownKey, "\(length): \(refusal)")
        }
    }

    @Test("a body that inflates beyond the limit is too large, in every profile", arguments: all)
    func tooLarge(sealed: Sealed) {
        let small = IngestLimits(maxInflatedBytes: 64, maxBatchEvents: 100, maxEventAge: 1)
        let worker = IngestWorker(limits: small, pepper: [])
        guard case .failure(.inflatedTooLarge) = Self.verdict(sealed.body, sealed, by: worker)
        else {
            Issue.record("accepted")
            return
        }
    }

    @Test("the hash of a device differs between apps, and with the pepper")
    func identity() {
        let raw = Array("phone".utf8)
        let one = DeviceIdentity(pepper: [1]).hash(of: raw.span, app: "a")
        #expect(one == DeviceIdentity(pepper: [1]).hash(of: raw.span, app: "a"))
        #expect(one != DeviceIdentity(pepper: [1]).hash(of: raw.span, app: "b"))
        #expect(one != DeviceIdentity(pepper: [2]).hash(of: raw.span, app: "a"))
        // HMAC-SHA-256 under "key" of "a\0phone", its first 16 octets.
        #expect(
            DeviceIdentity(pepper: Array("key".utf8)).hash(of: raw.span, app: "a").hex
                == "ad1a7985c4f793296cc588705fd1e75b")
    }
}
