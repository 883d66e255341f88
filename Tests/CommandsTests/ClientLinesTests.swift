import Service
import Testing

@testable import Commands

/// The lines that `key add --for` prints (docs/client.md). That Swift's run is seen in
/// Clients/Swift/Tests/Programs.
@Suite("lines to paste")
struct ClientLinesTests {
    private static let server = "https://stats.example.org"

    private func text(_ language: String, _ key: ClientLines.Key) throws -> String {
        try ClientLines(
            language: language, server: Self.server, profile: "aes128gcm", algorithm: nil
        ).text(app: "shop", keyID: "k1", key)
    }

    @Test("each language has its own, with the key in it")
    func lines() throws {
        #expect(
            try text("swift", .aes128gcm(secret: "s-e_c")) == """
                import SojournClient

                Sojourn.start(app: "shop", key: "k1:s-e_c", server: "https://stats.example.org")
                Sojourn.screen("menu")

                """)
        let java = try text("java", .aes128gcm(secret: "s-e_c"))
        #expect(
            java.contains(
                #"start("shop", Key.aes128gcm("k1", "s-e_c"), "https://stats.example.org");"#))
        let kotlin = try text("kotlin", .aes128gcm(secret: "s-e_c"))
        #expect(kotlin.contains("val sojourn = Sojourn(folder)\n") && !kotlin.contains(";\n"))
    }

    @Test("a public key stands in quotes as each language wants it")
    func publicKeys() throws {
        let key = ClientLines.Key.jwe(publicJWK: #"{"kty":"EC"}"#, token: "sj_1")
        #expect(
            try text("swift", key).contains(
                ##".jwe(id: "k1", publicJWK: #"{"kty":"EC"}"#, token: "sj_1")"##))
        for language in ["java", "kotlin"] {
            #expect(
                try text(language, key).contains(
                    #"Key.jwe("k1", "{\"kty\":\"EC\"}", "sj_1")"#))
        }
    }

    @Test(
        "what no app could use is refused before a key is made",
        arguments: [
            ("objc", server, "aes128gcm", nil), ("swift", nil, "aes128gcm", nil),
            ("swift", server, "legacy", nil), ("swift", server, "jwe", "RSA-OAEP-256"),
            ("swift", "unix:/run/sojourn", "jwe", nil), ("swift", "https://a/\"x", "jwe", nil),
            ("kotlin", "https://a/$x", "jwe", nil), ("java", "https://a/\\x", "jwe", nil),
        ] as [(String, String?, String, String?)])
    func refused(_ language: String, _ server: String?, _ profile: String, _ algorithm: String?) {
        let failure = #expect(throws: AdminFailure.self) {
            try ClientLines(
                language: language, server: server, profile: profile, algorithm: algorithm)
        }
        #expect(failure?.exit == .usage)
    }
}
