import ArgumentParser
import Glibc
import JSON
import Service

/// The program: arguments to a command, errors to one line and an exit code.
package enum Program {
    package static func main() -> Never {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        // A server's last line waits for no reader that stands still, as none before it does.
        let errors: any TextOutput =
            arguments.contains("serve")
            ? LogOutput.standardError : FileOutput(descriptor: STDERR_FILENO)
        let status = run(arguments, errors)
        LogOutput.standardError.finish()
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String], _ errors: any TextOutput) -> ExitStatus {
        do throws(AdminFailure) {
            try CoreFiles.forbid()
        } catch {
            errors.write(line(error))
            return error.exit
        }
        return run(
            arguments, environment: Environment.variables,
            output: FileOutput(descriptor: STDOUT_FILENO), errors: errors)
    }

    /// Runs one command line; what it prints and how it ends is all that it does to its caller.
    package static func run(
        _ arguments: [String], environment: [String: String], output: any TextOutput,
        errors: any TextOutput
    ) -> ExitStatus {
        do {
            let invocation = try Invocation(
                arguments, environment: environment, output: output, errors: errors)
            let command = try parse(invocation.arguments, output: output)
            guard let command else { return .ok }
            if !(command is ReportCommand) { try checkOnce(invocation.arguments) }
            try command.run(invocation)
            try output.check()
            return .ok
        } catch {
            let failure = Failures.describe(error)
            errors.write(line(failure))
            return failure.exit
        }
    }

    /// The command, or nil where help was asked for and has been printed.
    private static func parse(_ arguments: [String], output: any TextOutput) throws -> (
        any Command
    )? {
        do {
            var parsed = try Root.parseAsRoot(arguments)
            if let command = parsed as? any Command { return command }
            // What is no command of ours is a group of them or a call for help: it throws its text.
            try parsed.run()
            return nil
        } catch {
            let text = Root.message(for: error)
            if Root.exitCode(for: error).isSuccess {
                try checkHelp(arguments)
                output.write(text.hasSuffix("\n") ? text : text + "\n")
                return nil
            }
            let line = text.split(separator: "\n").first.map(String.init) ?? "wrong usage"
            throw AdminFailure(
                .usage,
                clause(line.replacingPrefix("Error: ", with: "")) + "; 'sojourn help' tells more")
        }
    }

    /// The parser prints the help of all for a command that there is not, and calls it a success.
    private static func checkHelp(_ arguments: [String]) throws {
        guard arguments.first == "help", let name = arguments.dropFirst().first else { return }
        let names = Root.configuration.subcommands.map { $0._commandName } + ["help"]
        if name.hasPrefix("-") || names.contains(name) { return }
        throw AdminFailure(.usage, "no command '\(name)'; 'sojourn help' lists those there are")
    }

    /// No option of a command may be given twice: the parser would take the last one and say nothing.
    private static func checkOnce(_ arguments: [String]) throws {
        var seen: Set<Substring> = []
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
            let name = argument.prefix { $0 != "=" }
            guard seen.insert(name).inserted else {
                throw AdminFailure(.usage, "option \(name) is given twice; give it once")
            }
        }
    }

    /// Without what ends a sentence.
    private static func clause(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// One line whatever was given: an error may name an argument, and a terminal obeys controls.
    private static func line(_ failure: AdminFailure) -> String {
        "sojourn: " + Printable.text(failure.description) + "\n"
    }
}

extension LogOutput: TextOutput {
    package var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
    package func write(_ text: String) { write(Array(text.utf8)) }
    /// What could not be written is told of there, or nowhere.
    package func check() {}
}

/// The process's environment.
enum Environment {
    static var variables: [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return result
    }
}
