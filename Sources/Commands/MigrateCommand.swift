import ArgumentParser
import Service
import Storage

/// `sojourn migrate`: brings the schema up to date; `serve` does so too.
struct MigrateCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring the database's schema up to date.",
        discussion:
            """
            'sojourn serve' does so too; a newer schema than this program knows is refused. Needs the \
            master key; each step is one transaction, so that it can be ended and begun again.
            """)

    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        let outcome = try Administration(settings: settings).migrate()
        invocation.show(
            [("from", .integer(Int64(outcome.from))), ("to", .integer(Int64(outcome.to)))],
            text: outcome.from == outcome.to
                ? "schema \(outcome.to) is up to date\n"
                : "schema brought from \(outcome.from) to \(outcome.to)\n")
    }
}
