import ArgumentParser
import Service

/// `sojourn serve`: runs the server until SIGTERM or SIGINT.
struct ServeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until SIGTERM or SIGINT.",
        discussion: """
            Settings, on the command line, as SOJOURN_… in the environment or in the file of --config:

            \(Setting.all.map(line).joined(separator: "\n"))
            """)

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        try ServerProcess.run(settings) { try invocation.settings() }
    }

    private static func line(_ setting: Setting) -> String {
        let name = "--\(setting.name)"
        let padding = String(repeating: " ", count: max(1, 26 - name.utf8.count))
        return "  \(name)\(padding)\(setting.help)" + (setting.fallback.map { " (\($0))" } ?? "")
    }
}
