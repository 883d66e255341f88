import ArgumentParser
import Client
import Service

/// `sojourn send`: the reference client. Seals and posts batch files as a device would.
struct SendCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Seal and post batch files as a device would.",
        discussion: """
            Examples:
              sojourn send batch.json --url http://127.0.0.1:8080 --app shop --key K --secret-file k.secret
              sojourn send - --app shop --token T < batch.json

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
    @Option(help: "How long to go on trying, such as 30s or 10m.")
    var patience = "60s"

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        guard let patience = DurationText.milliseconds(patience) else {
            throw AdminFailure(.usage, "--patience takes a duration such as 30s or 10m")
        }
        let name = profile ?? (key == nil ? "plain" : "aes128gcm")
        guard let profile = SealProfile(rawValue: name) else {
            throw AdminFailure(.usage, "--profile takes aes128gcm, jwe, plain or legacy")
        }
        let sealer = try Sealer(
            profile, app: app, keyID: key, secret: secretFile.map(Files.input),
            token: token ?? invocation.environment["SOJOURN_TOKEN"])
        let address = try ServerAddress(url ?? Listener.url(of: settings))
        let poster = BatchPoster(try HTTPClient(address), sealer, isDryRun: dryRun)
        let delivery = Delivery(poster)
        let notice = WaitNotice(invocation.errors, clock: { Timestamp.milliseconds })
        var report = SendReport()
        for file in files {
            let text = BatchText(try Files.input(file))
            report.add(
                file == "-" ? "standard input" : file,
                delivery.deliver(text, until: delivery.deadline(in: patience)) { answer in
                    notice.tell("\(address.origin) \(answer.complaint)", patience: patience)
                })
        }
        if invocation.wantsJSON {
            invocation.output.write(report.json + [10])
        } else {
            invocation.output.write(report.text)
        }
        guard report.allTaken else {
            let unreachable = report.items.contains { item in
                if case .unusable = item.outcome.answer { true } else { false }
            }
            throw AdminFailure(
                unreachable ? .unavailable : .dataError,
                unreachable
                    ? "\(address.origin) gave no usable answer; see above"
                    : "not every batch was taken; see above")
        }
    }
}
