import ArgumentParser
import Client
import Service

/// `sojourn open`: what is inside a sealed body, for an app developer whose batches are refused.
struct OpenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Show what is inside a sealed body.",
        discussion: """
            Reads bodies of aes128gcm, jwe and legacy, tells which one it was and prints its JSON.
            Example: sojourn open body.bin --key k1 --secret-file k1.secret
            """)

    @Argument(help: "The body as it was sent; - for standard input.")
    var file: String
    @Option(help: "The key id it should be sealed under.")
    var key: String
    @Option(help: "A file with the key's secret (hex or base64url) or private key (PKCS#8 PEM).")
    var secretFile: String
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let body = try Files.input(file)
        let secret = try Files.input(secretFile)
        let opened: BodyOpener.Opened
        do throws(SealerFailure) {
            opened = try BodyOpener.open(body, keyID: key, secret: secret)
        } catch {
            throw AdminFailure(.dataError, error.description)
        }
        invocation.show(
            [
                ("profile", .text(opened.profile.rawValue)),
                ("text", .text(String(decoding: opened.text, as: UTF8.self))),
            ],
            text: String(decoding: opened.text, as: UTF8.self) + "\n")
    }
}
