import ArgumentParser
import Client
import JSON
import Service

/// `sojourn open`: what is inside a sealed body, for an app developer whose batches are refused.
struct OpenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Show what is inside a sealed body.",
        discussion: """
            Reads bodies of aes128gcm, jwe and legacy, tells which one it was and prints its JSON.
            What the server would refuse is refused here too, and why is told.
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
        let secret = try Files.text(secretFile)
        let settings = try invocation.settings()
        let opened: BodyOpener.Opened
        do throws(SealerFailure) {
            opened = try BodyOpener.open(
                body, keyID: key, secret: secret,
                limits: BodyOpener.Limits(
                    sent: settings.maxBodyBytes, inflated: settings.maxInflatedBytes))
        } catch {
            throw AdminFailure(.dataError, error.description)
        }
        let text = String(decoding: opened.text, as: UTF8.self)
        invocation.show(
            [("profile", .text(opened.profile.rawValue)), ("text", .text(text))],
            text: (invocation.output.isTerminal ? Self.printable(text) : text) + "\n")
        if let complaint = opened.complaint {
            throw AdminFailure(
                .dataError, "the body opens, but its text is not one I-JSON object: \(complaint)")
        }
    }

    /// What a terminal obeys is shown, not sent: whoever has the app's key may have written it.
    static func printable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Printable.text(String($0)) }.joined(separator: "\n")
    }
}
