import Client
import Curl
import Service

/// What an app developer pastes to begin with a client (docs/client.md): the lines of one language.
struct ClientLines {
    enum Language: String {
        case swift
        case java
        case kotlin
    }

    /// What a device seals with.
    enum Key {
        case aes128gcm(secret: String)
        case jwe(publicJWK: String, token: String)
    }

    let language: Language
    /// The server's address as the app has it.
    let server: String

    /// Checks what was asked for, before anything is made.
    ///
    /// - Throws: `AdminFailure` that says what to write instead.
    init(language: String, server: String?, profile: String, algorithm: String?) throws {
        guard let language = Language(rawValue: language) else {
            throw AdminFailure(.usage, "cannot print lines: --for is swift, java or kotlin")
        }
        guard let server else {
            throw AdminFailure(
                .usage,
                "cannot print lines: --for needs --server, the address that phones reach, "
                    + "as https://stats.example.org")
        }
        guard profile == "aes128gcm" || profile == "jwe" else {
            throw AdminFailure(
                .usage, "cannot print lines: --for goes with --profile aes128gcm or jwe")
        }
        guard algorithm == nil || algorithm == "ECDH-ES" else {
            throw AdminFailure(.usage, "cannot print lines: clients know --alg ECDH-ES alone")
        }
        let address = try ServerAddress(server)
        // It stands between quotes, in three languages.
        guard address.socketPath == nil, server.utf8.allSatisfy(Self.isPlain) else {
            throw AdminFailure(
                .usage,
                "cannot print lines: --server is the address that phones reach, as "
                    + "https://stats.example.org")
        }
        self.language = language
        self.server = server
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/[]%".utf8.contains(byte)
        }
    }

    /// The lines, each with its end.
    func text(app: String, keyID: String, _ key: Key) -> String {
        switch language {
        case .swift:
            return "import SojournClient\n\n" + """
                Sojourn.start(app: "\(app)", key: \(swift(keyID, key)), server: "\(server)")
                Sojourn.screen("menu")

                """
        case .java:
            return """
                // folder: the client's own; on Android new File(context.getNoBackupFilesDir(), "sojourn")
                Sojourn sojourn = new Sojourn(folder);
                sojourn.start("\(app)", \(java(keyID, key)), "\(server)");
                sojourn.screen("menu");

                """
        case .kotlin:
            return """
                // folder: the client's own; on Android File(context.noBackupFilesDir, "sojourn")
                val sojourn = Sojourn(folder)
                sojourn.start("\(app)", \(java(keyID, key)), "\(server)")
                sojourn.screen("menu")

                """
        }
    }

    private func swift(_ keyID: String, _ key: Key) -> String {
        switch key {
        case .aes128gcm(let secret): "\"\(keyID):\(secret)\""
        case .jwe(let jwk, let token):
            ".jwe(id: \"\(keyID)\", publicJWK: #\"\(jwk)\"#, token: \"\(token)\")"
        }
    }

    private func java(_ keyID: String, _ key: Key) -> String {
        switch key {
        case .aes128gcm(let secret): return "Key.aes128gcm(\"\(keyID)\", \"\(secret)\")"
        case .jwe(let jwk, let token):
            let quoted = jwk.map { $0 == "\"" ? "\\\"" : String($0) }.joined()
            return "Key.jwe(\"\(keyID)\", \"\(quoted)\", \"\(token)\")"
        }
    }
}
