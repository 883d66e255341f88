import ArgumentParser
import Service

/// `sojourn serve`: runs the server until SIGTERM or SIGINT.
struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until SIGTERM or SIGINT.",
        discussion: """
            A setting is taken from the command line, else from its variable in the environment, else \
            from the file of --config. 'sojourn check-config' shows the outcome.
            """)

    @OptionGroup(title: "Settings") var settingOptions: SettingOptions
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        try ServerProcess.run(settings) { try invocation.settings() }
    }
}
