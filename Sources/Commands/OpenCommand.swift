import ArgumentParser
import Client
import JSON
import Service

/// `sojourn open`: what is inside a sealed body, for an app developer whose batches are refused.
struct OpenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Show what is inside a sealed body.",
        discussion: """
            Reads bodies of aes128gcm, jwe and legacy and prints their JSON; standard error gets the profile and \
            the compression. Refuses what the server would refuse, and says why. It does not see header \
            fields: compare Content-Encoding yourself.
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
        guard file != "-" || secretFile != "-" else {
            throw AdminFailure(
                .usage, "standard input holds one of them, body or secret; give - once")
        }
        let body = try Files.input(file)
        let secret = try Files.text(secretFile)
        let settings = try invocation.settings()
        let opened: BodyOpener.Opened
        do throws(SealerFailure) {
            opened = try BodyOpener.open(
                body, keyID: key, secret: secret,
                limits: BodyOpener.Limits(
                    sent: settings.maxBodyBytes, inflated: settings.maxInflatedBytes,
                    elements: settings.maxElements))
        } catch {
            guard error.secretFault == nil else {
                throw Failures.describe(error, secretFile: secretFile)
            }
            throw AdminFailure(.dataError, error.description)
        }
        let text = String(decoding: opened.text, as: UTF8.self)
        if !invocation.wantsJSON { invocation.errors.write("sojourn: \(Self.form(opened))\n") }
        invocation.show(
            [
                ("profile", .text(opened.profile.rawValue)),
                ("compression", opened.compression.map { .text($0.rawValue) } ?? .null),
                ("text", .text(text)),
            ],
            text: (invocation.output.isTerminal ? Self.printable(text) : text) + "\n")
        if let complaint = opened.complaint {
            throw AdminFailure(
                .dataError, "the body opens, but its text is not one I-JSON object: \(complaint)")
        }
    }

    /// Profile and compression of a body, and the `Content-Encoding` that goes with it (docs/protocol.md, Endpoints).
    static func form(_ opened: BodyOpener.Opened) -> String {
        let compression = opened.compression.map { "compressed with \($0.rawValue)" }
        let form = "\(opened.profile.rawValue), \(compression ?? "not compressed")"
        guard opened.profile == .aes128gcm else { return form }
        let coding = (opened.compression.map { $0.rawValue + ", " } ?? "") + "aes128gcm"
        return form + "; it goes with Content-Encoding: \(coding)"
    }

    /// Escapes control characters line by line: anybody who has the app's key may have written the text.
    static func printable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Printable.text(String($0)) }.joined(separator: "\n")
    }
}
