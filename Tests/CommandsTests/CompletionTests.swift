import Foundation
import Service
import Testing

@testable import Commands

/// What shells and manual pages are told of the program (docs/guide.md, Install).
@Suite("completions and manual pages")
struct CompletionTests {
    private func text(_ arguments: String...) -> String {
        let output = Capture()
        let exit = Program.run(
            arguments, environment: [:], output: output, errors: Capture())
        #expect(exit == .ok)
        return output.text
    }

    @Test(
        "completions have every setting and what all commands share",
        arguments: [("bash", "--"), ("zsh", "'\\*?--"), ("fish", " -l '")])
    func completions(shell: String, mark: String) throws {
        let script = text("--generate-completion-script", shell)
        for name in Setting.all.map(\.name) + ["config", "json"] {
            let isThere = script.contains(try Regex("\(mark)\(name)[^a-z-]"))
            #expect(isThere, "\(name)")
        }
    }

    /// The generator of manual pages reads this.
    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }
                let names: [Name]?
                let abstract: String?
            }
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?

            /// Itself or what is below it, where nothing more is below that.
            var leaves: [Command] { (subcommands ?? []).isEmpty ? [self] : below }
            private var below: [Command] { (subcommands ?? []).flatMap(\.leaves) }

            func names() -> Set<String> {
                Set((arguments ?? []).flatMap { ($0.names ?? []).map(\.name) })
            }
        }
        let command: Command
    }

    @Test("manual pages have the shared options everywhere, and every setting where it matters")
    func manual() throws {
        let dumped = text("--experimental-dump-help")
        let root = try JSONDecoder().decode(Help.self, from: Data(dumped.utf8)).command
        let commands = root.leaves.filter { $0.commandName != "help" }
        #expect(commands.count == 30)
        for command in commands {
            #expect(
                command.names().isSuperset(of: ["data", "config", "json"]), "\(command.commandName)"
            )
        }
        for name in ["serve", "check-config", "doctor", "healthcheck"] {
            let command = try #require(commands.first { $0.commandName == name })
            #expect(command.names().isSuperset(of: Setting.all.map(\.name)), "\(name)")
        }
        let serve = try #require(commands.first { $0.commandName == "serve" })
        for setting in Setting.all {
            let about = serve.arguments?.first { $0.names?.first?.name == setting.name }?.abstract
            #expect(about?.contains("[\(setting.variable)]") == true, "\(setting.name)")
            if let fallback = setting.fallback {
                #expect(about?.contains("; \(fallback) unless given") == true, "\(setting.name)")
            }
        }
    }
}
