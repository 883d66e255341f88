import Client
import Foundation
import Service
import TestSupport
import Testing

@testable import Commands

/// Commands run in the process, with output and exit code captured (docs/operation.md, Commands).
@Suite("commands")
struct ProgramTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-commands-\(UUID().uuidString)").path

    private func run(
        _ arguments: String..., environment: [String: String] = [:], isTerminal: Bool = false
    ) -> (exit: Service.ExitStatus, output: String, errors: String) {
        let output = Capture(isTerminal: isTerminal)
        let errors = Capture()
        let exit = Program.run(
            arguments + ["--data", folder], environment: environment, output: output, errors: errors
        )
        return (exit, output.text, errors.text)
    }

    @Test("an app is added, listed and changed")
    func apps() {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let added = run(
            "app", "add", "shop", "--time-zone", "Europe/Paris", "--session-timeout", "90s",
            "--json")
        #expect(added.exit == .ok)
        #expect(
            added.output
                == #"{"app":"shop","name":"shop","time_zone":"Europe/Paris","session_timeout_s":90,"allow_plain":false}"#
                + "\n")
        #expect(run("app", "set", "shop", "--allow-plain").exit == .ok)
        let list = run("app", "list", "--json")
        #expect(list.output.contains(#""allow_plain":true"#) && list.output.hasPrefix("["))
        #expect(run("app", "add", "shop").exit == .dataError)
        #expect(run("app", "set", "nobody", "--allow-plain").exit == .dataError)
    }

    @Test("a key's secret is shown once and nowhere else")
    func keys() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        let key = run(
            "key", "add", "--app", "shop", "--profile", "aes128gcm", "--id", "k1", "--json")
        let secret = try #require(
            key.output.firstMatch(of: /"secret":"([A-Za-z0-9_-]{43})"/)?.output.1)
        #expect(!run("key", "list", "--json").output.contains(secret))
        #expect(run("key", "revoke", "k1").exit == .ok)
        #expect(run("key", "list").output.contains("revoked"))
        #expect(run("key", "revoke", "k2").exit == .dataError)
        let pair = run("key", "add", "--app", "shop", "--profile", "jwe", "--json")
        #expect(
            pair.output.contains(#""public_jwk":{"#) && pair.output.contains(#""alg":"ECDH-ES""#))
    }

    @Test(
        "wrong usage is 64 and one line",
        arguments: [
            ["nothing"], ["app"], ["app", "add"], ["app", "add", "a", "--unknown"],
            ["app", "add", "a", "--session-timeout", "soon"], ["key", "add", "--app", "a"],
            ["token", "add", "--scope", "ingest"], ["token", "add", "--scope", "all"],
            ["key", "add", "--app", "a", "--profile", "rot13"],
            ["report", "nothing", "--app", "a"],
            ["app", "add", "a", "--name", "x", "--name=y"],
            ["send", "-", "--app", "a", "--token", "x", "--token", "y"],
            ["send", "-", "-", "--app", "a", "--token", "x"],
            ["app", "add", "a b"], ["app", "add", "a", "--time-zone", "Mars/Phobos"],
        ])
    func usage(arguments: [String]) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let errors = Capture()
        // A report is asked of a database that is there.
        _ = run("app", "add", "demo")
        let exit = Program.run(
            arguments + ["--data", folder], environment: [:], output: Capture(), errors: errors)
        #expect(exit == (arguments == ["app"] ? .ok : .usage), "\(errors.text)")
        #expect(
            errors.text.split(separator: "\n").count == (arguments == ["app"] ? 0 : 1),
            "\(errors.text)")
    }

    @Test(
        "white space around a token goes, and what no token has is 64 at once",
        arguments: [
            ("sj_x", "sj_x"), ("sj_x\r\n", "sj_x"), (" \t sj_x\n", "sj_x"),
            ("\u{FEFF}sj_x", "sj_x"),
            ("\u{A0}sj_a-Z_9\u{2028}", "sj_a-Z_9"), ("sj_x\r\nsj_y", nil), ("sj_ x", nil),
            ("Bearer sj_x", nil), ("sj_é", nil), ("\"sj_x\"", nil), ("sj_x\u{1}", nil),
        ] as [(String, String?)])
    func token(text: String, token: String?) throws {
        func invocation(_ variable: String?) throws -> Invocation {
            try Invocation(
                [], environment: variable.map { ["SOJOURN_TOKEN": $0] } ?? [:], output: Capture(),
                errors: Capture())
        }
        for found in [
            Result(catching: { try invocation(nil).token(text) }),
            Result(catching: { try invocation(text).token(nil) }),
            Result(catching: { try invocation("sj_other").token(text) }),
        ] {
            switch found {
            case .success(let found): #expect(found == token)
            case .failure(let error):
                #expect(token == nil && (error as? AdminFailure)?.exit == .usage)
            }
        }
        #expect(try invocation(nil).token(nil) == nil)
        #expect(try invocation(" \n").token(nil) == nil)
        #expect(throws: AdminFailure.self) { try invocation("sj_x").token(" ") }
    }

    @Test(
        "an option's value that will not do is 64, in one line with the option's name",
        arguments: [
            (["app", "add", "a", "--session-timeout", "0s"], "--session-timeout takes "),
            (["app", "set", "demo", "--session-timeout", "367d"], "1ms to 366d"),
            (["app", "add", "a", "--session-timeout", "-1s"], "--session-timeout takes "),
            (["app", "add", "a", "--name", ""], "--name takes 1 to 256 octets"),
            (["app", "set", "demo", "--name", ""], "--name takes 1 to 256 octets"),
            (["app", "add", "a", "--name", String(repeating: "n", count: 257)], "--name takes "),
            (["simulate", "--app", "demo", "--devices", "-3"], "--devices takes "),
            (["simulate", "--app", "demo", "--days", "-1"], "--days takes "),
            (["simulate", "--app", "demo", "--seed", "-1"], "--seed takes "),
            (["simulate", "--app", "demo", "--connections", "-1"], "--connections takes "),
            (["simulate", "--app", "demo", "--rate", "0"], "--rate takes "),
            (["simulate", "--app", "demo", "--kills", "-1"], "--kills takes percent"),
            (["simulate", "--app", "demo", "--lost", "101"], "--lost takes percent"),
            (["simulate", "--app", "demo", "--truth", "a", "--check", "b"], "one at a time"),
            (["prune", "--older-than", "-5d"], "--older-than takes "),
            (["send", "f", "--app", "a", "--patience", "-1s"], "--patience takes "),
            (["send", "f", "--app", "a", "--token", "t", "--url", "here"], "--url: it must begin"),
            (
                ["send", "f", "--app", "a", "--token", "t", "--url", "unix:/" + longPath],
                "--url: the path of a Unix socket has at most 107 octets"
            ),
        ])
    func values(arguments: [String], message: String) {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "demo")
        let errors = Capture()
        let exit = Program.run(
            arguments + ["--data", folder], environment: [:], output: Capture(), errors: errors)
        #expect(exit == .usage && errors.text.contains(message), "\(errors.text)")
        #expect(errors.text.split(separator: "\n").count == 1, "\(errors.text)")
    }

    @Test(
        "a name that there is not is repeated, with who knows those there are",
        arguments: [
            (["help", "prun"], "no command 'prun'; 'sojourn help'", Service.ExitStatus.usage),
            (
                ["report", "nope", "--app", "demo"], "no report 'nope'; 'sojourn help report'",
                .usage
            ),
            (["report", "active", "--app", "b"], "no app 'b'; 'sojourn app list'", .dataError),
            (["app", "add", ""], "'' will not do: a name is ", .usage),
        ])
    func unknownNames(arguments: [String], message: String, status: Service.ExitStatus) {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "demo")
        let errors = Capture()
        let exit = Program.run(
            arguments + ["--data", folder], environment: [:], output: Capture(), errors: errors)
        #expect(exit == status && errors.text.contains(message), "\(errors.text)")
    }

    private static let longPath = String(repeating: "x", count: 107)

    @Test("healthcheck under --json prints its object where no server is, too")
    func noServer() {
        let asked = run("healthcheck", "--json", "--admin-listen", "unix:/nonexistent/s")
        #expect(asked.exit == .unavailable)
        #expect(asked.output == #"{"ready":false,"status":null}"# + "\n")
        #expect(asked.errors.split(separator: "\n").count == 1)
    }

    @Test("an unknown variable and an ill-typed setting are 78 in every command")
    func settings() {
        #expect(run("app", "list", environment: ["SOJOURN_DATE": "x"]).exit == .configuration)
        #expect(run("app", "list", "--max-connections", "many").exit == .configuration)
        #expect(run("check-config", "--idle-timeout", "0").exit == .configuration)
    }

    @Test("check-config tells values and sources")
    func checkConfig() {
        let shown = run("check-config", "--json", "--max-batch-events", "7")
        #expect(shown.output.contains(#""max-batch-events":{"value":7,"source":"command line"}"#))
    }

    @Test("open shows what is inside a sealed body, and nothing under another key")
    func openBody() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let secret = String(repeating: "0f", count: 32)
        let sealer = try Sealer(.aes128gcm, app: "a", keyID: "k1", secret: Array(secret.utf8))
        let text = #"{"batch_id":"b-1"}"#
        try Data(sealer.seal(Array(text.utf8))).write(to: URL(filePath: folder + "/body"))
        try Data(secret.utf8).write(to: URL(filePath: folder + "/secret"))
        try Data(String(repeating: "1f", count: 32).utf8).write(
            to: URL(filePath: folder + "/other"))
        let opened = run(
            "open", folder + "/body", "--key", "k1", "--secret-file", folder + "/secret")
        #expect(opened.exit == .ok && opened.output == text + "\n", "\(opened.errors)")
        #expect(
            run("open", folder + "/body", "--key", "k1", "--secret-file", folder + "/other").exit
                == .dataError)
        #expect(
            run("open", folder + "/none", "--key", "k1", "--secret-file", folder + "/secret").exit
                == .io)
    }

    @Test(
        "help explains the command that was asked about",
        arguments: [
            (["help"], "SUBCOMMANDS:"), (["--help"], "SUBCOMMANDS:"),
            (["serve", "--help"], "--max-body-bytes"),
            (["help", "app", "add"], "--session-timeout"),
            (["app", "add", "--help"], "--session-timeout"),
            (["app"], "SUBCOMMANDS:"), (["help", "report"], "active"),
        ])
    func help(arguments: [String], expected: String) {
        let output = Capture()
        let exit = Program.run(arguments, environment: [:], output: output, errors: Capture())
        #expect(exit == .ok && output.text.contains(expected), "\(output.text)")
    }

    @Test("an error is one line whatever was given")
    func controlCharacters() {
        let failed = run("app", "add", "a\nb\u{1B}[31m")
        #expect(failed.exit == .usage && failed.errors.contains(#"a\x0Ab\x1B[31m"#))
        #expect(failed.errors.filter { $0 == "\n" }.count == 1)
        #expect(run("app", "add", "shop", "--name", "a\nb").exit == .usage)
    }

    @Test("a report has colours on a terminal only, and not where NO_COLOR or TERM says so")
    func colours() {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        func isColoured(_ environment: [String: String], isTerminal: Bool) -> Bool {
            let report = run(
                "report", "active", "--app", "shop", environment: environment,
                isTerminal: isTerminal)
            #expect(report.exit == .ok && report.output.contains("stickiness"))
            return report.output.contains("\u{1B}[")
        }
        #expect(isColoured([:], isTerminal: true))
        #expect(isColoured(["NO_COLOR": "", "TERM": "xterm"], isTerminal: true))
        #expect(!isColoured(["NO_COLOR": "1"], isTerminal: true))
        #expect(!isColoured(["TERM": "dumb"], isTerminal: true))
        #expect(!isColoured([:], isTerminal: false))
    }

    @Test("parameters of a report may stand before its name, and --json has no other form")
    func reportArguments() {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        let report = run(
            "report", "--app", "shop", "active", "--from=2026-11-01", "--to", "2026-11-02", "--json"
        )
        #expect(report.exit == .ok && report.output.hasPrefix(#"{"report":"active","app":"shop""#))
        #expect(
            run("report", "active", "--app", "shop", "--json", "--format", "csv").exit == .usage)
        #expect(run("report", "--app", "shop").exit == .usage)
        #expect(run("report", "active", "sessions", "--app", "shop").exit == .usage)
    }

    @Test("a report and check-config know the threshold of small groups")
    func minGroup() {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        let report = run(
            "report", "events", "--app", "shop", "--report-min-group", "5", "--json")
        #expect(report.exit == .ok)
        #expect(report.output.hasSuffix("\"suppressed_rows\":0,\"rows\":[]}\n"))
        let csv = run(
            "report", "events", "--app", "shop", "--format", "csv",
            environment: ["SOJOURN_REPORT_MIN_GROUP": "5"])
        #expect(csv.output == "name,events,devices,suppressed\r\n")
        #expect(
            run("check-config", "--report-min-group", "5", "--json").output
                .contains(#""report-min-group":{"value":5,"#))
        #expect(
            run("report", "events", "--app", "shop", "--report-min-group", "0").exit
                == .configuration)
    }

    @Test("an RSA key of more than 4096 bits is not imported")
    func longKey() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = run("app", "add", "shop")
        func add(_ pem: String) throws -> (
            exit: Service.ExitStatus, output: String, errors: String
        ) {
            try pem.write(toFile: folder + "/pem", atomically: true, encoding: .utf8)
            return run(
                "key", "add", "--app", "shop", "--profile", "jwe", "--secret-file", folder + "/pem")
        }
        let refused = try add(LongKeys.tooLong)
        #expect(refused.exit == .dataError)
        #expect(refused.errors.contains("4098 bits") && refused.errors.contains("2048 to 4096"))
        #expect(refused.errors.filter { $0 == "\n" }.count == 1)
        #expect(try add(LongKeys.longest).exit == .ok)
    }

    @Test(
        "doctor tells weak spots without being troubled by them, and is troubled by what is broken")
    func doctor() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(run("doctor").exit == .io)
        _ = run("app", "add", "shop", "--allow-plain")
        let good = run("doctor")
        #expect(good.exit == .ok && !good.output.contains("broken"), "\(good.output)")
        #expect(
            !good.output.split(separator: "\n").contains {
                $0.contains("permissions") && $0.hasPrefix("warning")
            })
        chmod(folder + "/master.key", 0o644)
        let weak = run("doctor", "--listen", "0.0.0.0:1")
        #expect(weak.exit == .ok)
        for expected in [
            "warning  permissions", "master.key has mode 0644", "warning  plain",
            "warning  listeners",
        ] {
            #expect(weak.output.contains(expected), "\(weak.output)")
        }
        let json = run("doctor", "--json", "--listen", "0.0.0.0:1").output
        #expect(
            json.hasPrefix(#"{"broken":0,"warnings":"#)
                && json.contains(#"{"check":"plain","state":"warning","detail":""#))
        try Data(repeating: 7, count: 32).write(to: URL(filePath: folder + "/master.key"))
        let broken = run("doctor")
        #expect(
            broken.exit == .dataError && broken.output.contains("broken   database"),
            "\(broken.output)")
    }
}
