import ArgumentParser
import Client
import Service
import Simulation

/// `sojourn simulate`: a believable population of devices that posts real, sealed batches over HTTP.
struct SimulateCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Post the sealed batches of simulated devices.",
        discussion: """
            The same seed and last day give the same events. Without --key the app's first active \
            aes128gcm key is taken from the data directory.
            Example: sojourn simulate --app demo --devices 300 --days 30
            """)

    @Option(help: "The app to post to.")
    var app: String
    // What begins with a minus is taken for the value too: a better error than that there is none.
    @Option(parsing: .unconditional, help: "How many devices there are.")
    var devices = "300"
    @Option(parsing: .unconditional, help: "How many days they cover.")
    var days = "30"
    @Option(parsing: .unconditional, help: "What decides about everything.")
    var seed = "1"
    @Option(help: "The last day, YYYY-MM-DD; the last whole day (UTC) unless given.")
    var until: String?
    @Option(help: "The server; the first listen address unless given.")
    var url: String?
    @Option(help: "The ingest key's id.")
    var key: String?
    @Option(help: "A file with the key's secret, hex or base64url.")
    var secretFile: String?
    @Option(
        parsing: .unconditional,
        help: "Post in an order that has nothing to do with time, decided by this seed.")
    var shuffle: String?
    @Option(parsing: .unconditional, help: "Connections that post side by side.")
    var connections = "4"
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        let period = try SimulationPeriod(
            days: try number(days, "--days", 1...400), until: until, now: Timestamp.milliseconds)
        let population = try Population(
            devices: try number(devices, "--devices", 1...10_000_000), period: period,
            seed: UInt64(try number(seed, "--seed", 0...Int.max)))
        let threads = try number(connections, "--connections", 1...64)
        let shuffleSeed = try shuffle.map { UInt64(try number($0, "--shuffle", 0...Int.max)) }
        let (keyID, secret) = try keyAndSecret(settings)
        let sealer = try Sealer(.aes128gcm, app: app, keyID: keyID, secret: secret)
        var run = SimulationRun(
            population, to: try Listener.server(url, settings), sealedBy: sealer)
        run.threads = threads
        if let shuffleSeed { run.order = .shuffled(seed: shuffleSeed) }
        let bar = ProgressBar(invocation.errors, unit: "batches")
        defer { bar.finish() }
        let notice = WaitNotice(invocation.errors, clock: { Timestamp.milliseconds })
        run.waiting = { [patience = run.patience] reason in
            bar.finish()
            notice.tell(reason, patience: patience)
        }
        let outcome: SimulationRun.Progress
        do throws(SimulationFailure) {
            outcome = try run.run { bar.show($0.posted, of: $0.total) }
        } catch {
            throw Failures.describe(error)
        }
        bar.finish()
        invocation.show(
            [
                ("batches", .integer(Int64(outcome.posted))),
                ("events", .integer(Int64(outcome.events))),
                ("repeats", .integer(Int64(outcome.repeats))),
                ("rejected", .integer(outcome.rejected)),
                ("retries", .integer(Int64(outcome.retries))),
            ],
            text: "posted \(outcome.posted) batches with \(outcome.events) events of "
                + "\(devices) devices over \(days) days"
                + (outcome.repeats > 0 ? "; the server had \(outcome.repeats) of them already" : "")
                + "\n")
    }

    private func keyAndSecret(_ settings: Settings) throws -> (String, [UInt8]) {
        if let key {
            guard let secretFile else { throw AdminFailure(.usage, "--key needs --secret-file") }
            return (key, try Files.input(secretFile))
        }
        return try Administration(settings: settings).sealingKey(of: app)
    }

    private func number(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw AdminFailure(
                .usage,
                "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
