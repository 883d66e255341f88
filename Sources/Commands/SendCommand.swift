import ArgumentParser
import Client
import Curl
import Service

/// `sojourn send`: the reference client. Seals and posts batch files as a device would.
struct SendCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Seal and post batch files as a device would.",
        discussion: """
            Examples:
              sojourn send batch.json --url http://127.0.0.1:8080 --app shop --key K --secret-file k.secret
              sojourn send - --app shop --token T < batch.json

            A batch that is too large is sent in parts. Once the server wants to be left alone, or \
            does not answer, the files that are left are not sent.

            Exits 0 if every batch was taken, 65 if one was refused, 69 if the server could not be asked.
            """)

    @Argument(help: "Files with one batch each; - for standard input.")
    var files: [String]
    @Option(help: "The server; the first listen address unless given.")
    var url: String?
    @Option(help: "The app's id; a legacy key needs none.")
    var app: String?
    @Option(help: "The ingest key's id.")
    var key: String?
    @Option(
        help:
            "A file with the key's secret (hex or base64url), or for jwe the public key (JWK or PEM)."
    )
    var secretFile: String?
    @Option(help: "aes128gcm, jwe, plain or legacy; aes128gcm with a key, plain without.")
    var profile: String?
    @Option(
        help:
            "An ingest token, for jwe and plain; better in SOJOURN_TOKEN, since arguments show in ps."
    )
    var token: String?
    @Flag(help: "Let the server judge the batches without storing them.")
    var dryRun = false
    @Option(
        parsing: .unconditional,
        help: "How long to go on trying and waiting for an answer, such as 30s or 10m.")
    var patience = "60s"
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        guard secretFile != "-" || !files.contains("-") else {
            throw AdminFailure(
                .usage, "standard input holds one of them, batch or secret; give - once")
        }
        guard let patience = DurationText.milliseconds(patience) else {
            throw AdminFailure(.usage, "--patience takes a duration such as 30s or 10m")
        }
        let name = profile ?? (key == nil ? "plain" : "aes128gcm")
        guard let profile = SealProfile(rawValue: name) else {
            throw AdminFailure(.usage, "--profile takes aes128gcm, jwe, plain or legacy")
        }
        let secret = try secretFile.map(Files.text)
        let token = try invocation.token(token)
        let sealer: Sealer
        do throws(SealerFailure) {
            sealer = try Sealer(profile, app: app, keyID: key, secret: secret, token: token)
        } catch {
            throw Failures.describe(error, secretFile: secretFile)
        }
        let address = try Listener.server(url, settings)
        let poster = BatchPoster(try HTTPClient(address), sealer, isDryRun: dryRun)
        try checkFiles()
        let notice = WaitNotice(invocation.errors, clock: { Timestamp.milliseconds })
        var sending = Sending(Delivery(poster), patience: patience)
        sending.waiting = { answer in
            notice.tell("\(address.origin) \(answer.complaint)", patience: patience)
        }
        do {
            for file in files {
                sending.send(try Files.batch(file), named: Files.name(of: file))
            }
        } catch {
            show(sending.report, invocation)
            throw error
        }
        show(sending.report, invocation)
        guard sending.report.allTaken else {
            guard sending.report.isUnavailable else {
                throw AdminFailure(.dataError, "not every batch was taken; see above")
            }
            throw AdminFailure(
                .unavailable, "\(address.origin) gave no usable answer; see above")
        }
    }

    /// Before anything is sent.
    private func checkFiles() throws {
        guard files.count(where: { $0 == "-" }) < 2 else {
            throw AdminFailure(.usage, "standard input holds one batch; give - once")
        }
        for file in files where file != "-" { try Files.checkReadable(file) }
    }

    private func show(_ report: SendReport, _ invocation: Invocation) {
        invocation.output.write(
            invocation.wantsJSON ? report.json + [10] : Array(report.text.utf8))
    }
}
