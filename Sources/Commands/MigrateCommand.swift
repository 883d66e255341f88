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

    @Flag(
        help: ArgumentHelp(
            "Make the engine's tables (forward-to), or bring them up to date, and lay the apps, keys and tokens "
                + "of this node into it. Also while servers run; harmless to repeat."))
    var engine = false
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        if engine { return try migrateEngine(settings, invocation) }
        let outcome = try Administration(settings: settings).migrate()
        invocation.show(
            [("from", .integer(Int64(outcome.from))), ("to", .integer(Int64(outcome.to)))],
            text: outcome.from == outcome.to
                ? "schema \(outcome.to) is up to date\n"
                : "schema brought from \(outcome.from) to \(outcome.to)\n")
    }

    private func migrateEngine(_ settings: Settings, _ invocation: Invocation) throws {
        let result = try Administration(settings: settings).perform(.migrateEngine)
        guard case .engineMigrated(let summary) = result else {
            throw AdminFailure(.software, "unexpected answer")
        }
        let tables =
            summary.from == summary.to
            ? "the engine's schema \(summary.to) is up to date"
            : "the engine's schema brought from \(summary.from) to \(summary.to)"
        invocation.show(
            summary.members,
            text: "\(tables); \(summary.laidDown) apps, keys and tokens were new to it\n")
    }
}
