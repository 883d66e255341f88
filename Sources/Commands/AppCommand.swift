import ArgumentParser
import Service

/// `sojourn app`: the apps that may post.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Add, change and list apps.",
        subcommands: [Add.self, Change.self, List.self])

    struct Add: Command {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an app.",
            discussion:
                "Example: sojourn app add shop --time-zone Europe/Paris --session-timeout 30m")

        @Argument(help: "The app's id: 1 to 32 of A-Z a-z 0-9 _ -.")
        var id: String
        @OptionGroup var options: Options
        @Flag(name: .long, help: "Accept bodies that are not sealed, with an ingest token.")
        var allowPlain = false
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let change = try options.change(of: id, allowPlain: allowPlain)
            try AppCommand.perform(.addApp(change), said: "added", invocation)
        }
    }

    struct Change: Command {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change an app; what is not given stays.")

        @Argument(help: "The app's id.")
        var id: String
        @OptionGroup var options: Options
        @Flag(
            inversion: .prefixedNo, exclusivity: .exclusive,
            help: "Accept bodies that are not sealed, with an ingest token.")
        var allowPlain: Bool?
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let change = try options.change(of: id, allowPlain: allowPlain)
            guard change != AdminOperation.AppChange(app: id) else {
                throw AdminFailure(.usage, "nothing to change; give an option, such as --time-zone")
            }
            try AppCommand.perform(.setApp(change), said: "changed", invocation)
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the apps.")

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let apps = try Administration(settings: invocation.settings()).apps()
            invocation.show(
                list: apps.map(\.members),
                header: ["APP", "NAME", "TIME ZONE", "SESSION TIMEOUT", "PLAIN"],
                lines: apps.map {
                    [
                        $0.app, $0.title, $0.timeZone,
                        DurationText.text(milliseconds: $0.sessionTimeout),
                        $0.allowPlain ? "allowed" : "refused",
                    ]
                })
        }
    }

    struct Options: ParsableArguments {
        /// Milliseconds; storage takes no others.
        private static let timeouts: ClosedRange<Int64> = 1...366 * 86_400_000

        @Option(help: "A name for people.")
        var name: String?
        @Option(help: "The IANA time zone in which days are cut; UTC unless given.")
        var timeZone: String?
        @Option(
            parsing: .unconditional,
            help: "A session ends after this long without an event; 30m unless given.")
        var sessionTimeout: String?

        func change(of app: String, allowPlain: Bool?) throws -> AdminOperation.AppChange {
            var timeout: Int64?
            if let sessionTimeout {
                guard let milliseconds = DurationText.milliseconds(sessionTimeout),
                    Self.timeouts.contains(milliseconds)
                else {
                    throw AdminFailure(
                        .usage,
                        "--session-timeout takes a duration such as 90s, 30m or 2h, from "
                            + DurationText.text(milliseconds: Self.timeouts.lowerBound) + " to "
                            + DurationText.text(milliseconds: Self.timeouts.upperBound))
                }
                timeout = milliseconds
            }
            if let name, !(1...256).contains(name.utf8.count) {
                throw AdminFailure(
                    .usage,
                    "--name takes 1 to 256 octets; give some, or leave it out")
            }
            return AdminOperation.AppChange(
                app: app, title: name, timeZone: timeZone, sessionTimeout: timeout,
                allowPlain: allowPlain)
        }
    }

    private static func perform(_ operation: AdminOperation, said: String, _ invocation: Invocation)
        throws
    {
        let result = try Administration(settings: invocation.settings()).perform(operation)
        guard case .app(let app) = result else {
            throw AdminFailure(.software, "unexpected answer")
        }
        invocation.show(
            result.members,
            text: "\(said) app \(app.app): time zone \(app.timeZone), sessions end after "
                + "\(DurationText.text(milliseconds: app.sessionTimeout)), "
                + "plain bodies \(app.allowPlain ? "allowed" : "refused")\n")
    }
}
