import Events
import Sealing
import Testing

@testable import Ingest

/// docs/protocol.md, Endpoints.
@Suite("admission")
struct AdmissionTests {
    @Test(
        "type and coding decide about the profile",
        arguments: [
            ("application/json", ["gzip, aes128gcm"], Profile.aes128gcm, true),
            ("Application/JSON; charset=utf-8", ["GZIP", "AES128GCM"], .aes128gcm, true),
            ("application/json", ["aes128gcm"], .aes128gcm, false),
            ("application/json", [], .plain, false),
            ("application/json", ["identity"], .plain, false),
            ("application/json", ["x-gzip"], .plain, true),
            ("application/json;x=y", ["gzip"], .plain, true),
            ("application/jose", [], .jwe, false),
        ])
    func formats(type: String, codings: [String], profile: Profile, isGzipped: Bool) throws {
        let format = try BodyFormat(contentType: type, codings: codings)
        #expect(format.profile == profile && format.isGzipped == isGzipped)
    }

    @Test(
        "everything else is refused by the one that is wrong",
        arguments: [
            (nil, [], BatchRefusal.unsupportedMediaType), ("text/plain", [], .unsupportedMediaType),
            // The Greek question mark is a semicolon to Swift's String.
            ("application/json\u{37E}x", [], .unsupportedMediaType),
            ("application/jsonx", ["br"], .unsupportedMediaType), ("", [], .unsupportedMediaType),
            ("application/json", ["br"], .unsupportedEncoding),
            ("application/json", ["aes128gcm, gzip"], .unsupportedEncoding),
            ("application/json", ["gzip", "gzip"], .unsupportedEncoding),
            ("application/jose", ["gzip"], .unsupportedEncoding),
        ] as [(String?, [String], BatchRefusal)])
    func refused(type: String?, codings: [String], refusal: BatchRefusal) {
        #expect(throws: refusal) { try BodyFormat(contentType: type, codings: codings) }
    }

    @Test("a key id that only looks like another one is unknown")
    func lookAlike() throws {
        let app = AccessList.App(id: 1, name: "shop", allowsPlain: false)
        let key = AccessList.Key(
            id: 1, name: "K", app: app, profile: .legacy, isRevoked: false, material: .symmetric([])
        )
        let access = AccessList(apps: [app], keys: [key], tokens: [:])
        _ = try Admission(legacyKey: "K", access: access)
        // The Kelvin sign is a K to Swift's String.
        #expect(throws: BatchRefusal.unknownKey) {
            try Admission(legacyKey: "\u{212A}", access: access)
        }
    }
}
