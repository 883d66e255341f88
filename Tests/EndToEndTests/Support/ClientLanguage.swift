import Foundation

/// A language that a client of ours is written in, if this machine has it.
enum ClientLanguage: String, CaseIterable {
    case python, node, java

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "clients")

    /// What runs the client, without its arguments.
    private var command: [String] {
        let script = { (name: String) in Self.folder.appending(path: name).path }
        return switch self {
        case .python:
            [ProcessInfo.processInfo.environment["TEST_PYTHON"] ?? "python3", script("seal.py")]
        case .node: ["node", script("seal.mjs")]
        // It runs for a moment only: the second compiler never pays.
        case .java: ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", script("Seal.java")]
        }
    }

    /// Whether the language is here with what the client needs of it.
    var isInstalled: Bool {
        let probe =
            switch self {
            case .python: [command[0], "-c", "import cryptography"]
            case .node: ["node", "-e", "require('node:crypto').hkdfSync"]
            // Java 11 and later run a source file.
            case .java: ["java", "--source", "11", "--version"]
            }
        return (try? BuiltProgram.run(URL(filePath: "/usr/bin/env"), probe))?.status == 0
    }

    /// Has it seal and post a batch; what it printed, and 0 where the answer was 200.
    func post(_ batch: String, _ arguments: [String]) throws -> BuiltProgram.Result {
        try BuiltProgram.run(URL(filePath: "/usr/bin/env"), command + arguments, input: batch)
    }
}
