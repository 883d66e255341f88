import ArgumentParser
import Client
import Glibc
import Service
import Simulation
import TimeZones
import Truth

/// `sojourn simulate`: a believable population of devices that live, record and post as the client does, and
/// what reports must say of them.
struct SimulateCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Let simulated devices use an app, and check its reports.",
        discussion: """
            Each device runs the client that apps have, with a journal, a clock and a network of its own. \
            The same seed and last day give the same events. Without --key the app's first active \
            aes128gcm key is taken from the data directory.

            Examples:
              sojourn simulate --app demo --devices 300 --days 30
              sojourn simulate --app try --devices 20000 --days 60 --truth truth.json
              sojourn simulate --app try --check truth.json

            The truth is that of an app without other events. --check exits 0 if every report says what was \
            meant, and 65 if one does not.
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
    @Option(parsing: .unconditional, help: "Devices that live, and connections that post, at once.")
    var connections = "64"
    @Option(
        parsing: .unconditional, help: "Events a second; as many as the server takes unless given.")
    var rate: String?
    @Option(help: "Write what every report must say to this file.")
    var truth: String?
    @Option(help: "Post nothing: compare what reports say with such a file.")
    var check: String?
    @Option(
        help: """
            A report token: --check asks the server at --url; without, it reads the data directory as \
            'sojourn report' does. Better in SOJOURN_TOKEN, since arguments show in ps.
            """)
    var token: String?
    @OptionGroup(title: "What happens to how many") var happenings: ShareOptions
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        guard key != nil || secretFile == nil else {
            throw AdminFailure(.usage, "--secret-file needs --key")
        }
        guard let check else { return try simulate(invocation, settings) }
        guard truth == nil else {
            throw AdminFailure(
                .usage, "--truth is written by a simulation and --check posts none: one at a time")
        }
        let source = try ReportSource(
            app: app, token: invocation.token(token),
            address: try Listener.server(url, settings), settings)
        try TruthComparison(invocation, source).run(file: check, app: app)
    }

    private func simulate(_ invocation: Invocation, _ settings: Settings) throws {
        let period = try SimulationPeriod(
            days: try number(days, "--days", 1...400), until: until, now: Timestamp.milliseconds)
        let population = try Population(
            devices: try number(devices, "--devices", 1...1_000_000), period: period,
            seed: UInt64(try number(seed, "--seed", 0...Int.max)), shares: happenings.shares())
        let connections = try number(connections, "--connections", 1...10_000)
        let rate = try rate.map { Double(try number($0, "--rate", 1...100_000_000)) }
        let (keyID, secret) = try keyAndSecret(settings)
        let sealer: Sealer
        do throws(SealerFailure) {
            sealer = try Sealer(.aes128gcm, app: app, keyID: keyID, secret: secret)
        } catch {
            throw Failures.describe(error, secretFile: secretFile)
        }
        var run = SimulationRun(
            population, to: try Listener.server(url, settings), sealedBy: sealer)
        run.connections = connections
        run.workers = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        run.rate = rate
        run.rules.maxAge = settings.maxEventAge
        if let shortage = DescriptorLimit.raise(for: connections) {
            throw AdminFailure(
                .unavailable,
                "only \(shortage.allowed) open files are allowed where --connections \(connections) "
                    + "needs \(shortage.wanted); raise the limit (ulimit -n) or ask for fewer")
        }
        if truth != nil, let retention = settings.retention,
            Timestamp.milliseconds - period.start > retention
        {
            throw AdminFailure(
                .usage,
                "--truth foretells events that are kept: with this retention, use fewer days")
        }
        let file = try truth.map { try NewFile($0) }
        if file != nil { run.truth = try scope(of: period, settings, keyID) }
        do {
            let outcome = try SimulationDisplay(invocation, patience: run.patience).show(run)
            if let truth = outcome.truth { try file?.write(truth.document()) }
            tell(outcome.progress, invocation)
        } catch {
            file?.discard()
            throw error
        }
    }

    /// What reports are foretold for: the days of the period, in the app's time zone.
    private func scope(
        of period: SimulationPeriod, _ settings: Settings, _ keyID: String
    ) throws -> TruthScope {
        // A key that was given is perhaps that of another machine's app.
        let own =
            key == nil
            ? try Administration(settings: settings).apps().first { $0.app == app } : nil
        let zone: TimeZoneRules
        do throws(TimeZoneError) {
            zone = try TimeZoneRules(name: own?.timeZone ?? "UTC")
        } catch {
            throw AdminFailure(
                .dataError,
                "tzdata on this machine does not have the app's time zone \(own?.timeZone ?? "UTC"); "
                    + "install it (Debian has older names in tzdata-legacy), or give the app another with "
                    + "'sojourn app set'")
        }
        return TruthScope(
            app: app, zone: zone, from: zone.day(at: period.start),
            to: zone.day(at: period.end - 1),
            sessionTimeout: own?.sessionTimeout ?? 1_800_000, keyID: keyID)
    }

    private func tell(_ progress: Progress, _ invocation: Invocation) {
        if truth != nil, progress.slow > 0 {
            invocation.errors.write(
                "sojourn: the way of \(progress.slow) batches took over 2 s, whose clocks are put right: "
                    + "the truth may differ by that; use fewer --connections\n")
        }
        invocation.show(
            [
                ("batches", .integer(Int64(progress.answers))),
                ("events", .integer(Int64(progress.events))),
                ("repeats", .integer(Int64(progress.repeats))),
                ("rejected", .integer(progress.rejected)),
                ("retries", .integer(Int64(progress.retries))),
            ],
            text:
                "posted \(Counted.batches(progress.answers)) with \(Counted.events(progress.events)) of "
                + "\(devices) devices over \(days) days"
                + (progress.repeats > 0
                    ? "; the server had \(progress.repeats) of them already" : "")
                + (truth.map { "; what reports must say is in \($0)" } ?? "") + "\n")
    }

    private func keyAndSecret(_ settings: Settings) throws -> (String, [UInt8]) {
        if let key {
            guard let secretFile else { throw AdminFailure(.usage, "--key needs --secret-file") }
            return (key, try Files.text(secretFile))
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
