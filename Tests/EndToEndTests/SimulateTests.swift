import Foundation
import Synchronization
import Testing

/// `simulate --truth` and `--check`: devices with wrong clocks, bad networks, kills and copies, a server that
/// goes away for a moment, and reports that say what was meant.
@Suite("a simulation and its truth")
struct SimulateTests {
    private final class Run: Sendable {
        let result = Mutex<BuiltProgram.Result?>(nil)
        let group = DispatchGroup()

        init(_ arguments: [String]) {
            DispatchQueue(label: "simulate").async(group: group) { [self] in
                let result = try? BuiltProgram.run(arguments)
                self.result.withLock { $0 = result }
            }
        }

        func end() -> BuiltProgram.Result? {
            group.wait()
            return result.withLock { $0 }
        }
    }

    @Test("every report says what was meant, a restart in between too; one event more is found")
    func truth() throws {
        let server = try TestServer()
        let socket = server.data + "-s"
        let file = server.data + "-truth"
        defer { for path in [socket, file] { try? FileManager.default.removeItem(atPath: path) } }
        try server.start(["--listen", "unix:" + socket])
        let simulate = ["simulate", "--app", "shop", "--data", server.data]
        let run = Run(
            simulate + [
                "--url", "unix:" + socket, "--devices", "40", "--days", "12", "--seed", "5",
                "--wrong-clocks", "30", "--set-clocks", "30", "--kills", "10", "--lost", "10",
                "--copies", "30", "--tiny-journals", "30", "--offline-days", "20", "--rate", "4000",
                "--connections", "16", "--truth", file, "--json",
            ])
        try waitForEvents(server)
        #expect(server.kill(SIGTERM) == 0)
        try server.start(["--listen", "unix:" + socket])
        let result = try #require(run.end())
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.firstMatch(of: /"retries":[1-9]/) != nil, "\(result.output)")

        let check = simulate + ["--check", file]
        let right = try BuiltProgram.run(check)
        #expect(right.status == 0 && right.output.contains("all as they were meant"))
        #expect(right.errors.isEmpty, "\(right.output) \(right.errors)")
        let http = try BuiltProgram.run(
            check + ["--url", server.url, "--token", server.reportToken])
        #expect(http.status == 0 && http.output == right.output, "\(http.output)")

        try checkFinds(server, check)
    }

    /// Returns when the server has stored something.
    private func waitForEvents(_ server: TestServer) throws {
        let deadline = Date().addingTimeInterval(60)
        while !(try server.report("events?app=shop").contains(#""name":"#)) {
            try #require(Date() < deadline)
            usleep(20_000)
        }
    }

    private func checkFinds(_ server: TestServer, _ check: [String]) throws {
        let connection = try server.connect()
        let time = Int64(Date().timeIntervalSince1970 * 1_000) - 3 * 86_400_000
        let batch = """
            {"batch_id":"more","resource":{"app.installation.id":"someone"},\
            "events":[{"name":"order.menu","time":\(time)}]}
            """
        #expect(server.post(batch, on: connection) == 200)
        let wrong = try BuiltProgram.run(check)
        #expect(wrong.status == 65, "\(wrong.output)")
        #expect(wrong.errors.contains("differ from what was meant"))
        let lines = wrong.output.split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("  sojourn report ") }
        #expect(commands.count == 20, "\(wrong.output)")
        // What it prints can be pasted.
        let words = commands[0].split(separator: " ").dropFirst().map(String.init)
        let pasted = try BuiltProgram.run(words)
        #expect(pasted.status == 0 && pasted.output.contains("shop"), "\(pasted.errors)")
        let http = try BuiltProgram.run(
            check + ["--url", server.url, "--token", server.reportToken])
        #expect(http.status == 65)
        #expect(
            http.output.contains(
                "  curl -sH \"Authorization: Bearer $SOJOURN_TOKEN\" '\(server.url)/report/"))
        let json = try BuiltProgram.run(check + ["--json"])
        #expect(json.status == 65 && json.output.contains(#""first":[{"report":"#))
    }

    @Test("a file that is no truth, or another app's, is told in one line")
    func files() throws {
        let server = try TestServer()
        let file = server.data + "-file"
        defer { try? FileManager.default.removeItem(atPath: file) }
        for (text, status) in [("{}", 65), ("no", 65), ("", 65)] as [(String, Int32)] {
            try Data(text.utf8).write(to: URL(filePath: file))
            let result = try BuiltProgram.run(
                ["simulate", "--app", "shop", "--check", file, "--data", server.data])
            #expect(result.status == status && result.output.isEmpty)
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
            #expect(result.errors.hasPrefix("sojourn: cannot check "), "\(result.errors)")
        }
        let missing = try BuiltProgram.run(
            ["simulate", "--app", "shop", "--check", file + "-none", "--data", server.data])
        #expect(missing.status == 74)
        let unwritable = try BuiltProgram.run(
            [
                "simulate", "--app", "shop", "--truth", "/nonexistent/truth", "--data", server.data,
            ])
        #expect(unwritable.status == 73, "\(unwritable.errors)")
    }
}
