import Foundation

/// The program as it was built beside these tests, run as a process.
struct BuiltProgram {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// `TEST_PROGRAM` names another build of it, to be measured.
    static let url =
        ProcessInfo.processInfo.environment["TEST_PROGRAM"].map { URL(filePath: $0) }
        ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "sojourn")

    /// Nothing of the caller's settings may reach the program.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SOJOURN_") }
    }

    @discardableResult
    static func run(
        _ arguments: [String], input: String = "", folder: String? = nil
    ) throws -> Result {
        try run(url, arguments, input: input, folder: folder)
    }

    static func run(
        _ program: URL, _ arguments: [String], input: String = "", folder: String? = nil
    ) throws -> Result {
        let process = Process()
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        // Errors are short: a pipe holds them while the output is read.
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// A member of the one JSON object that a command prints.
    @discardableResult
    static func json(_ arguments: [String], input: String = "") throws -> [String: Any] {
        let result = try run(arguments + ["--json"], input: input)
        guard result.status == 0,
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
                as? [String: Any]
        else { throw Failure(text: "\(arguments): \(result.status) \(result.errors)") }
        return object
    }
}

struct Failure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
