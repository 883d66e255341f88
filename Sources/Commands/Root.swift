import ArgumentParser
import Service

/// `sojourn` itself: the list of commands.
struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sojourn",
        abstract: "Learn how long and how your apps are used, on a machine of your own.",
        discussion: """
            Every command takes the settings (--data, --config, --log-level …; 'sojourn serve --help' \
            lists them) and --json, which prints one JSON value on standard output.

            Exit codes: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).
            """,
        version: BuildInfo.version,
        subcommands: [
            ServeCommand.self, AppCommand.self, KeyCommand.self, TokenCommand.self,
            ReportCommand.self, SendCommand.self, OpenCommand.self, SimulateCommand.self,
            MigrateCommand.self,
            CheckConfigCommand.self, DoctorCommand.self, HealthcheckCommand.self,
        ])
}
