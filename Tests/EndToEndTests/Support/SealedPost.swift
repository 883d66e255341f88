import Client
import Foundation

/// A way to post: the profile, the key and the head of its requests.
struct SealedPost {
    let name: String
    private let sealer: Sealer
    private let head: String

    /// One for each kind of body there is, each under a key of its own.
    static func all(of server: TestServer) throws -> [SealedPost] {
        let token = server.ingestToken
        func jwe(_ id: String, _ algorithm: String) throws -> SealedPost {
            let jwk = try server.addKey(id, profile: "jwe", algorithm: algorithm)
            return try SealedPost(
                "jwe " + algorithm,
                Sealer(.jwe, app: "shop", keyID: id, secret: Array(jwk.utf8), token: token))
        }
        let legacy = try server.addKey("old", profile: "legacy")
        return [
            try SealedPost(
                "aes128gcm",
                Sealer(.aes128gcm, app: "shop", keyID: "k1", secret: Array(server.secret.utf8))),
            try jwe("ec", "ECDH-ES"), try jwe("rsa", "RSA-OAEP-256"),
            try SealedPost("plain", Sealer(.plain, app: "shop", token: token)),
            try SealedPost("legacy", Sealer(.legacy, keyID: "old", secret: Array(legacy.utf8))),
        ]
    }

    init(_ name: String, _ sealer: Sealer) throws {
        self.name = name
        self.sealer = sealer
        let request = sealer.request(for: [])
        head =
            "POST \(request.path) HTTP/1.1\r\nHost: x\r\n"
            + request.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    func body(_ text: String) -> [UInt8] { sealer.seal(Array(text.utf8)) }

    /// The request that carries these octets, whatever they are.
    func request(_ body: [UInt8]) -> [UInt8] {
        Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }
}
