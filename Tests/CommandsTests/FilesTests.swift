import Foundation
import Service
import TestSupport
import Testing

@testable import Commands

/// docs/operation.md, Commands.
@Suite("files that commands are given")
struct FilesTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "sojourn-files-\(UUID().uuidString)").path
    private static let secret = String(repeating: "0f", count: 32)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write(Self.secret, "secret")
        try write(#"{"batch_id":"b","events":[]}"#, "batch")
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    private func write(_ text: String, _ name: String, _ encoding: String.Encoding = .utf8) throws {
        let data = try #require(text.data(using: encoding))
        try data.write(to: URL(filePath: path(name)))
    }

    /// Commands that read `path`, and with which code they refuse it.
    private func commands(reading path: String) -> [(arguments: [String], exit: Service.ExitStatus)]
    {
        let (secret, batch) = (self.path("secret"), self.path("batch"))
        let key = ["--app", "a", "--key", "k", "--url", "http://127.0.0.1:9"]
        return [
            (["open", path, "--key", "k", "--secret-file", secret], .io),
            (["open", batch, "--key", "k", "--secret-file", path], .io),
            (["send", path, "--secret-file", secret] + key, .io),
            (["send", batch, path, "--secret-file", secret] + key, .io),
            (["send", batch, "--secret-file", path] + key, .io),
            (["simulate", "--secret-file", path] + key, .io),
            (["simulate", "--app", "a", "--check", path], .io),
            (
                ["key", "add", "--app", "a", "--profile", "aes128gcm", "--secret-file", path], .io
            ),
            (["check-config", "--config", path], .configuration),
        ]
    }

    private func run(_ arguments: [String]) -> (exit: Service.ExitStatus, errors: String) {
        let (output, errors) = (Capture(), Capture())
        let exit = Program.run(
            arguments + ["--data", path("data")], environment: [:], output: output, errors: errors)
        return (exit, errors.text)
    }

    @Test("a pipe, a directory and a device are named, and neither waited for nor read")
    func kinds() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        for (path, kind) in [
            (path("pipe"), "a pipe"), (folder, "a directory"), ("/dev/zero", "a device"),
        ] {
            for (arguments, exit) in commands(reading: path) {
                let found = run(arguments)
                #expect(found.exit == exit, "\(arguments)")
                #expect(
                    found.errors.contains("cannot read \(path): it is \(kind); put a regular"),
                    "\(arguments): \(found.errors)")
            }
        }
    }

    @Test("what is larger than anything of its kind is not read")
    func sizes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("", "large")
        #expect(truncate(path("large"), 5 << 30) == 0)
        for (arguments, exit) in commands(reading: path("large")) {
            let found = run(arguments)
            #expect(found.exit == (exit == .io ? .dataError : exit), "\(arguments)")
            #expect(found.errors.contains("/large is larger than "), "\(found.errors)")
        }
    }

    @Test("a secret that is none is exit 65 in every command, by its file's name")
    func unusableSecrets() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("0001", "none")
        #expect(run(["app", "add", "a"]).exit == .ok)
        for (arguments, _) in commands(reading: path("none"))
        where arguments.contains("--secret-file") && !arguments.contains(path("secret")) {
            let found = run(arguments)
            #expect(found.exit == .dataError, "\(arguments)")
            #expect(found.errors.contains("cannot use \(path("none")): "), "\(found.errors)")
        }
    }

    @Test("a backup has a folder: 64", arguments: ["backup", "restore"])
    func unnamedFolder(_ command: String) {
        #expect(run([command, ""]).exit == .usage)
    }

    @Test("standard input is given once: 64")
    func standardInput() {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let secret = ["--secret-file", "-", "--key", "k"]
        for arguments in [["send", "-", "--app", "a"] + secret, ["open", "-"] + secret] {
            #expect(run(arguments).exit == .usage)
        }
    }

    @Test("what the shell hands over is read like a file")
    func handedOver() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(Foundation.write(ends[1], Self.secret, Self.secret.utf8.count) == 64)
        close(ends[1])
        #expect(try Files.text("/dev/fd/\(ends[0])") == Array(Self.secret.utf8))
    }

    @Test("UTF-16 and a byte order mark are named; a secret may have the mark")
    func encodings() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("\u{FEFF}\(Self.secret)", "marked")
        #expect(try Files.text(path("marked")) == Array(Self.secret.utf8))
        try write("\u{FEFF}{}", "marked")
        try write("{}", "wide", .utf16)
        try write("{}", "little", .utf16LittleEndian)
        try write("{}", "big", .utf16BigEndian)
        let key = ["--app", "a", "--token", "sj_0"]
        for name in ["wide", "little", "big"] {
            let found = run(["send", path(name)] + key)
            #expect(found.exit == .dataError)
            #expect(found.errors.contains("/\(name): it is UTF-16; save the file as UTF-8"))
        }
        let found = run(["send", path("marked")] + key)
        #expect(found.exit == .dataError)
        #expect(found.errors.contains("/marked: it begins with a byte order mark; save"))
    }
}
