import Foundation
import TestSupport
import Testing

/// docs/operation.md, Exit codes: what went wrong, in a number and one line.
@Suite("exit codes", .serialized)
struct ExitTests {
    @Test("SIGTERM and SIGINT end the server with 0", arguments: [SIGTERM, SIGINT])
    func stop(signal: Int32) throws {
        let server = try TestServer()
        try server.start()
        #expect(server.kill(signal) == 0)
        #expect(!FileManager.default.fileExists(atPath: server.data + "/control.sock"))
    }

    @Test(
        "a command that cannot do its work says so in one line and with the contract's code",
        arguments: Self.wrong)
    func codes(arguments: [String], status: Int32) throws {
        let data = try Self.data.get().data
        let result = try BuiltProgram.run(
            arguments.contains("--data") ? arguments : arguments + ["--data", data])
        #expect(result.status == status, "\(arguments): \(result.errors)")
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("sojourn: ") && result.errors.hasSuffix("\n"))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    private static let wrong: [([String], Int32)] = [
        (["frobnicate"], 64), (["serve", "extra"], 64), (["app", "add", "bad id!"], 64),
        (["app", "add", "shop"], 65), (["app", "set", "none", "--name", "n"], 65),
        (["key", "add", "--app", "none", "--profile", "jwe"], 65),
        (["key", "add", "--app", "shop", "--profile", "legacy", "--secret-file", "/none"], 74),
        (["key", "revoke", "none"], 65), (["token", "revoke", "none"], 65),
        (["report", "none", "--app", "shop"], 64), (["report", "active", "--app", "none"], 65),
        (["report", "active", "--app", "shop", "--from", "x"], 64),
        (["report", "active", "--app", "shop", "--data", "/none"], 74),
        (["app", "add", "a", "--data", "/dev/null/x"], 73),
        (["serve", "--data", "/dev/null/x"], 73),
        (["open", "/none", "--key", "k", "--secret-file", "/none"], 74),
        (["send", "/none", "--app", "shop", "--token", "t"], 74),
        (["simulate", "--app", "none"], 65),
        (["simulate", "--app", "shop", "--days", "0"], 64),
        (["simulate", "--app", "shop", "--url", "nowhere"], 64),
        (["healthcheck", "--admin-listen", "unix:/nonexistent/s"], 69),
        (["check-config", "--config", "/none"], 78),
        (["check-config", "--log-level", "loud"], 78),
        (["migrate", "--max-connections", "-1"], 78),
    ]

    /// One directory for all of them: none changes it.
    private static let data = Result { try TestServer() }

    @Test("a simulation that is refused is 65; the server's log level follows a good file only")
    func refusedSimulation() throws {
        let server = try TestServer()
        let file = server.data + "-config.json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        func configure(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: file))
        }
        try configure("{}")
        try server.start(["--config", file])
        for broken in [#"{"log-level":"#, #"{"log-level": "loud"}"#] {
            try configure(broken)
            server.signal(SIGHUP)
        }
        server.waitForLog("from file \(file) is not one of trace")
        #expect(server.logText.contains("cannot reload the log level"))
        try configure(#"{"log-level": "debug"}"#)
        server.signal(SIGHUP)
        server.waitForLog("log level is now debug")
        let secret = server.data + "-secret"
        defer { try? FileManager.default.removeItem(atPath: secret) }
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: secret))
        let result = try BuiltProgram.run([
            "simulate", "--app", "shop", "--url", server.url, "--key", server.keyID,
            "--secret-file", secret, "--devices", "3", "--days", "2", "--data", server.data,
        ])
        #expect(result.status == 65 && result.errors.contains("400 undecodable"))
        server.waitForLog("code=undecodable")
        #expect(server.logText.contains("code=undecodable"))
        #expect(server.kill(SIGTERM) == 0)
    }

    @Test(
        "a command to a server that was stopped is 75 after a while, and is never carried out",
        .tags(.long))
    func stopped() throws {
        let server = try TestServer()
        try server.start()
        server.signal(SIGSTOP)
        let result = try BuiltProgram.run(["app", "add", "late", "--data", server.data])
        server.signal(SIGCONT)
        #expect(result.status == 75, "\(result.errors)")
        #expect(
            result.errors.contains("has not answered for 10s")
                && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(try BuiltProgram.run(["app", "add", "next", "--data", server.data]).status == 0)
        let apps = try BuiltProgram.run(["app", "list", "--data", server.data])
        #expect(apps.output.contains("next") && !apps.output.contains("late"))
        #expect(server.kill(SIGTERM) == 0)
    }

    @Test("an address in use is 69, one line that names it")
    func addressInUse() throws {
        let first = try TestServer()
        try first.start()
        let second = try TestServer()
        let result = try BuiltProgram.run([
            "serve", "--data", second.data, "--listen", "127.0.0.1:\(first.port)", "--admin-listen",
            "off",
        ])
        #expect(result.status == 69)
        #expect(
            result.errors.split(separator: "\n").count == 1
                && result.errors.contains("127.0.0.1:\(first.port)"))
    }

    @Test("a database without its key, or with another one, is 78 and stays as it is")
    func foreignKey() throws {
        let server = try TestServer()
        let key = server.data + "/master.key"
        let database = try Data(contentsOf: URL(filePath: server.data + "/sojourn.db"))
        try FileManager.default.removeItem(atPath: key)
        #expect(
            try BuiltProgram.run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]).status
                == 78)
        #expect(!FileManager.default.fileExists(atPath: key))
        try Data(repeating: 7, count: 32).write(to: URL(filePath: key))
        #expect(
            try BuiltProgram.run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]).status
                == 78)
        #expect(try Data(contentsOf: URL(filePath: server.data + "/sojourn.db")) == database)
    }

    @Test("a damaged database is 65 and stays as it is")
    func damaged() throws {
        let server = try TestServer()
        let path = URL(filePath: server.data + "/sojourn.db")
        var database = try Data(contentsOf: path)
        database.replaceSubrange(0..<16, with: Data(repeating: 0x41, count: 16))
        try database.write(to: path)
        let result = try BuiltProgram.run([
            "serve", "--data", server.data, "--listen", "127.0.0.1:0",
        ])
        #expect(result.status == 65 && result.errors.split(separator: "\n").count == 1)
        #expect(try Data(contentsOf: path) == database)
    }
}
