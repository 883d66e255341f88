import ArgumentParser
import Service

/// `sojourn token`: bearer tokens of devices that post plain or jwe, and of those who read reports.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Add, list and revoke bearer tokens.",
        subcommands: [Add.self, List.self, Revoke.self])

    struct Add: Command {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a token; it is shown once.",
            discussion: "Example: sojourn token add --scope report --app shop")

        @Option(help: "ingest, report or admin.")
        var scope: String
        @Option(help: "The one app that it counts for; required for ingest, all apps without it.")
        var app: String?
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let result = try Administration(settings: invocation.settings()).perform(
                .addToken(scope: scope, app: app))
            guard case .token(let token) = result else {
                throw AdminFailure(.software, "unexpected answer")
            }
            invocation.show(
                result.members,
                text: "added token \(token.id), scope \(token.scope), for "
                    + "\(token.app.map { "app " + $0 } ?? "all apps")\n"
                    + "token (shown once): \(token.token ?? "")\n")
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the tokens.")

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let tokens = try Administration(settings: invocation.settings()).tokens()
            invocation.show(
                list: tokens.map(\.members), header: ["ID", "SCOPE", "APP", "ADDED", "STATE"],
                lines: tokens.map {
                    [
                        $0.id, $0.scope, $0.app ?? "all", $0.createdAt.map(Moment.text) ?? "",
                        $0.revokedAt.map { "revoked " + Moment.text($0) } ?? "active",
                    ]
                })
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Refuse a token from now on.")

        @Argument(help: "The token's id, as 'token list' shows it.")
        var id: String
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let result = try Administration(settings: invocation.settings()).perform(
                .revokeToken(id: id))
            invocation.show(result.members, text: "revoked token \(id)\n")
        }
    }
}
