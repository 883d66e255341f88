import Foundation
import Testing

/// docs/operation.md, Life of the process: no core file is ever written.
@Suite("core files")
struct CoreFileTests {
    /// Root may look into every process, so the program runs as somebody else; whether it can be dumped
    /// shows in whose its files in /proc are.
    private static let nobody = 65534
    private static let setpriv = "/usr/bin/setpriv"

    /// Something that ends with the test.
    private final class Running {
        let process = Process()
        let folder: String

        init() throws {
            folder =
                FileManager.default.temporaryDirectory
                .appending(path: "sojourn-core-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }

        deinit {
            if process.isRunning {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Runs the program, as somebody else than root.
        func run(_ arguments: [String]) throws {
            var command = [BuiltProgram.url.path] + arguments
            if geteuid() == 0 {
                // Others may not get to where it was built.
                let copy = folder + "/sojourn"
                try FileManager.default.copyItem(at: BuiltProgram.url, to: URL(filePath: copy))
                command[0] = copy
                for path in try FileManager.default.subpathsOfDirectory(atPath: folder) + [""] {
                    chown(folder + "/" + path, UInt32(nobody), UInt32(nobody))
                }
                command =
                    [setpriv, "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + command
            }
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
            process.environment = BuiltProgram.environment
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
        }
    }

    @Test(
        "both limits are zero and nobody may dump the process before the key is read",
        .enabled(if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)),
        arguments: [["serve", "--listen", "127.0.0.1:0"], ["app", "list"], ["verify"]])
    func beforeTheKey(command: [String]) throws {
        let running = try Running()
        let data = running.folder + "/data"
        try BuiltProgram.json(["app", "add", "shop", "--data", data])
        // The program waits for its settings, of which it has to know before where the key is.
        let settings = Pipe()
        let reading = settings.fileHandleForReading.fileDescriptor
        #expect(geteuid() != 0 || fchown(reading, UInt32(Self.nobody), UInt32(Self.nobody)) == 0)
        running.process.standardInput = settings
        let options = ["--data", data, "--admin-listen", "off", "--config", "/dev/stdin"]
        try running.run(command + options)
        let process = running.process
        let deadline = ContinuousClock.now + .seconds(20)
        var found = try Dumps(of: process.processIdentifier)
        while found != .forbidden, process.isRunning, ContinuousClock.now < deadline {
            usleep(2000)
            found = try Dumps(of: process.processIdentifier)
        }
        #expect(found == .forbidden)
        // And it does wait there: what they say is heeded.
        try settings.fileHandleForWriting.write(contentsOf: Data("[]".utf8))
        try settings.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 78)
    }

    /// What the system says of a process's dumps.
    private struct Dumps: Equatable {
        static let forbidden = Dumps(soft: "0", hard: "0", isDumpable: false)

        /// Limits of a core file's size.
        var soft: String
        var hard: String
        /// Files in /proc of a process that cannot be dumped are root's.
        var isDumpable: Bool

        private init(soft: String, hard: String, isDumpable: Bool) {
            self.soft = soft
            self.hard = hard
            self.isDumpable = isDumpable
        }

        init(of process: Int32) throws {
            let files = "/proc/\(process)"
            let limits = try String(contentsOfFile: files + "/limits", encoding: .utf8)
            let core = try #require(limits.firstMatch(of: /Max core file size +(\S+) +(\S+)/))
            (soft, hard) = (String(core.output.1), String(core.output.2))
            var status = stat()
            try #require(stat(files + "/status", &status) == 0)
            // Those of one that has ended are root's as well.
            let state = try String(contentsOfFile: files + "/status", encoding: .utf8)
                .firstMatch(of: /State:\s+(\S)/)?.output.1
            isDumpable = status.st_uid != 0 || state == "Z" || state == "X"
        }
    }
}
