import ArgumentParser
import Service

/// `sojourn` itself: the list of commands.
struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sojourn",
        abstract: "Learn how long and how your apps are used, on a machine of your own.",
        discussion: """
            Every command takes the settings (--data, --log-level …; 'sojourn serve --help' lists them), \
            --config and --json.

            Exit codes: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).
            """,
        version: BuildInfo.version,
        subcommands: [
            ServeCommand.self, AppCommand.self, KeyCommand.self, TokenCommand.self,
            ReportCommand.self, SendCommand.self, OpenCommand.self, SimulateCommand.self,
            DeviceCommand.self, PruneCommand.self, BackupCommand.self, RestoreCommand.self,
            VerifyCommand.self, ClockCommand.self, MigrateCommand.self, NodeCommand.self,
            ForwardCommand.self,
            CheckConfigCommand.self, DoctorCommand.self,
            HealthcheckCommand.self,
        ])
}
