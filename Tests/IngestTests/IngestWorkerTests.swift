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
        let access: AccessList
    }

    static let limits = IngestLimits(
        maxInflatedBytes: 1 << 20, maxBatchEvents: 100, maxEventAge: 400 * 86_400_000)
    static let text = Array(
        BatchText(events: [#"{"name":"app.tap","time":\#(arrival),"attributes":{"n":1}}"#]).text
            .utf8)

    /// The same batch in every profile and form.
    static let all: [Sealed] = {
        let app = AccessList.App(id: 1, name: "shop", allowsPlain: true)
        let symmetric = RandomBytes.make(32)
        let old = RandomBytes.make(16)
        let curve = PrivateKey(making: .ecdhES)
        let rsa = PrivateKey(making: .rsaOAEP256)
        func key(_ name: String, _ profile: Profile, _ material: KeyMaterial) -> AccessList.Key {
            AccessList.Key(
                id: 1, name: name, app: app, profile: profile, isRevoked: false, material: material)
        }
        let token = "sj_token"
        let access = AccessList(
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
                app: app, format: format, authorization: "Bearer " + token, access: access)
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
                try? Admission(legacyKey: "old", access: access)
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
                Sealed(description: name, body: body, admission: $0, access: access)
            }
        }
    }()

    private static func verdict(
        _ body: [UInt8], _ sealed: Sealed, by worker: IngestWorker
    ) -> Result<Verdict, BatchRefusal> {
        Result { () throws(BatchRefusal) in
            try worker.accept(
                body.span, sealed.admission, arrival: arrival, access: sealed.access)
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
        guard
            case .success(.accepted(let original)) = Self.verdict(sealed.body, sealed, by: worker)
        else {
            Issue.record("not accepted")
            return
        }
        // A flip that libdeflate accepts, where zlib does not, changes nothing that is inflated.
        var tolerated = 0
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
            case .success(.accepted(let batch)) where sealed.description == "plain":
                #expect(batch.batchID == "b-1" && batch.events.count == 1)
                #expect(batch.text == original.text && batch.names == original.names)
                if !free.contains(bit / 8) { tolerated += 1 }
            case let other: Issue.record("bit \(bit): \(other)")
            }
        }
        #expect(tolerated < 50)
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
        let provisional = Self.limits.atMost(inflatedBytes: 64, elements: 1000)
        for (limits, expected) in [
            (small, BatchRefusal.inflatedTooLarge), (provisional, .tooMuchHere),
        ] {
            let worker = IngestWorker(limits: limits, pepper: [])
            guard case .failure(expected) = Self.verdict(sealed.body, sealed, by: worker) else {
                Issue.record("accepted, or another refusal than \(expected)")
                continue
            }
        }
    }

    @Test(
        "says how many octets of JSON a body held, and as many as it may where it has more",
        arguments: all)
    func inflatedBytes(sealed: Sealed) {
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        _ = Self.verdict(sealed.body, sealed, by: worker)
        #expect(worker.inflatedBytes == Self.text.count)
        _ = Self.verdict([], sealed, by: worker)
        #expect(worker.inflatedBytes == 0)
        let small = IngestLimits(maxInflatedBytes: 64, maxBatchEvents: 100, maxEventAge: 1)
        let strict = IngestWorker(limits: small, pepper: [])
        _ = Self.verdict(sealed.body, sealed, by: strict)
        #expect(strict.inflatedBytes == 64)
    }

    @Test("a damaged stream counts for what may have come of it")
    func damagedBytes() throws {
        let sealed = try #require(Self.all.first { $0.description == "plain" })
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        var body = sealed.body
        body[body.count - 8] ^= 1
        _ = Self.verdict(body, sealed, by: worker)
        #expect(worker.inflatedBytes == Self.text.count, "the checksum is wrong")
        body = sealed.body
        body[10] = 0xff
        _ = Self.verdict(body, sealed, by: worker)
        #expect(worker.inflatedBytes == 1032 * (body.count - 18), "there is no such block")
    }

    @Test("a claimed size is believed only by who has others judge what is too large")
    func claims() throws {
        let sealed = try #require(Self.all.first { $0.description == "plain" })
        var body = sealed.body
        body[body.count - 1] = 1
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        guard case .failure(.undecodable) = Self.verdict(body, sealed, by: worker) else {
            Issue.record("not undecodable")
            return
        }
        let first = IngestWorker(
            limits: Self.limits.atMost(inflatedBytes: 1000, elements: 1000), pepper: [])
        guard case .failure(.tooMuchHere) = Self.verdict(body, sealed, by: first) else {
            Issue.record("not handed on")
            return
        }
    }

    @Test("leaves nothing of a body in its buffers, taken or refused", arguments: all)
    func overwritten(sealed: Sealed) {
        let small = IngestLimits(maxInflatedBytes: 64, maxBatchEvents: 100, maxEventAge: 1)
        for limits in [Self.limits, small] {
            let worker = IngestWorker(limits: limits, pepper: [])
            var broken = sealed.body
            broken[broken.count - 20] ^= 1
            for body in [sealed.body, broken] {
                _ = Self.verdict(body, sealed, by: worker)
                #expect(worker.opened.allSatisfy { $0 == 0 })
                #expect(worker.inflated.allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("names the key of a body as soon as its header block is there")
    func opening() throws {
        let sealed = try #require(Self.all.first { $0.description == "aes128gcm" })
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        for count in 0...60 {
            let needed = try worker.judge(
                opening: sealed.body.span.extracting(first: count), sealed.admission,
                access: sealed.access)
            #expect(needed == (count < 21 ? 21 : count < 24 ? 24 : nil))
        }
        let without = AccessList(apps: [sealed.admission.app], keys: [], tokens: [:])
        #expect(throws: BatchRefusal.unknownKey) {
            _ = try worker.judge(
                opening: sealed.body.span.extracting(first: 24), sealed.admission,
                access: without)
        }
        let plain = try #require(Self.all.first { $0.description == "plain" })
        #expect(
            try worker.judge(
                opening: [1].span, plain.admission, access: plain.access) == nil)
    }

    @Test("many records, and RSA, take long to be opened", arguments: all)
    func laborious(sealed: Sealed) throws {
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        #expect(
            worker.takesLongToOpen(sealed.body.span, sealed.admission)
                == (sealed.description == "jwe RSA-OAEP-256"))
        guard sealed.description == "aes128gcm" else { return }
        // Not compressed: a long deflate stream takes long whatever it is sealed with.
        let admission = try Admission(
            app: sealed.admission.app,
            format: BodyFormat(contentType: "application/json", codings: ["aes128gcm"]),
            authorization: nil, access: sealed.access)
        for (count, isMany) in [(4096, false), (4097, true)] {
            let body = ContentCoding.seal(
                [UInt8](repeating: 0x20, count: count).span, keyID: Array("gcm".utf8).span,
                secret: [1].span, recordSize: 18)
            #expect(worker.takesLongToOpen(body.span, admission) == isMany)
        }
    }

    @Test("a long deflate stream takes long to be opened, whatever it holds", arguments: all)
    func longStream(sealed: Sealed) {
        let worker = IngestWorker(limits: Self.limits, pepper: [])
        guard sealed.admission.format.isGzipped else { return }
        for (count, isLong) in [(8 << 10, false), ((8 << 10) + 1, true)] {
            let body = [UInt8](repeating: 0, count: count)
            let takesLong = worker.takesLongToOpen(body.span, sealed.admission)
            #expect(takesLong == isLong)
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
