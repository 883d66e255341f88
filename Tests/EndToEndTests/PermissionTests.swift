import Foundation
import Testing

/// docs/operation.md, The data directory: `serve` beside a directory or a key that others may use.
@Suite("permissions at the start")
struct PermissionTests {
    private static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Runs `serve` on an address that there is not: it ends by itself, and after everything was opened.
    private static func serve(_ data: String, _ more: [String] = []) throws -> BuiltProgram.Result {
        try BuiltProgram.run(
            [
                "serve", "--data", data, "--admin-listen", "off", "--listen", "unix:/nonexistent/s",
            ] + more)
    }

    /// A folder, made with that mode whatever the umask is.
    private static func folder(_ mode: Int) throws -> String {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "sojourn-modes-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try setMode(mode, path)
        return path
    }

    @Test(
        "a directory that others may write is refused before anything is made in it",
        arguments: [0o777, 0o707, 0o702, 0o1777])
    func directory(mode: Int) throws {
        let data = try Self.folder(mode)
        defer { try? FileManager.default.removeItem(atPath: data) }
        let result = try Self.serve(data)
        #expect(result.status == 78)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(
            result.errors.hasPrefix(
                "sojourn: data directory \(data) has mode \(mode < 0o1000 ? "0" : "")"
                    + String(mode, radix: 8)), "\(result.errors)")
        #expect(result.errors.hasSuffix("; chmod 0700 \(data)\n"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
    }

    @Test(
        "a key that others may write is refused before it is read, wherever it lies",
        arguments: [0o666, 0o606, 0o602])
    func key(mode: Int) throws {
        let (data, keys) = (try Self.folder(0o700), try Self.folder(0o700))
        defer {
            for folder in [data, keys] { try? FileManager.default.removeItem(atPath: folder) }
        }
        // Too short for a key: who reads it says so.
        #expect(FileManager.default.createFile(atPath: keys + "/k", contents: Data("x".utf8)))
        try Self.setMode(mode, keys + "/k")
        try FileManager.default.createSymbolicLink(
            atPath: data + "/master.key", withDestinationPath: keys + "/k")
        for (path, more) in [
            (data + "/master.key", []), (keys + "/k", ["--master-key-file", keys + "/k"]),
        ] {
            let result = try Self.serve(data, more)
            #expect(result.status == 78)
            #expect(
                result.errors.hasPrefix(
                    "sojourn: master key \(path) has mode 0\(String(mode, radix: 8)): "),
                "\(result.errors)")
            #expect(result.errors.hasSuffix("; chmod 0600 \(path)\n"), "\(result.errors)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: data) == ["master.key"])
        }
    }

    @Test(
        "a server that root runs in another user's directory leaves nothing of root's there",
        .enabled(if: geteuid() == 0))
    func serverOfRoot() throws {
        let server = try TestServer()
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: server.data) + [""] {
            #expect(chown(server.data + "/" + name, 10_001, 10_001) == 0)
        }
        try server.start()
        #expect(
            server.post(
                #"{"batch_id":"b","resource":{"app.installation.id":"d"},"events":[]}"#,
                on: try server.connect()) == 200)
        let erased = try BuiltProgram.run([
            "device", "erase", "--app", "shop", "--device-id", "d", "--data", server.data,
        ])
        #expect(erased.status == 0, "\(erased.errors)")
        let copy = server.data + "/../" + "sojourn-copy-\(UUID().uuidString)"
        try files.createDirectory(atPath: copy, withIntermediateDirectories: false)
        defer { try? files.removeItem(atPath: copy) }
        #expect(chown(copy, 10_001, 10_001) == 0)
        let backup = try BuiltProgram.run(["backup", copy + "/first", "--data", server.data])
        #expect(backup.status == 0, "\(backup.errors)")
        for folder in [server.data, copy, copy + "/first"] {
            let names = try files.contentsOfDirectory(atPath: folder)
            #expect(names.count > 0)
            for name in names {
                let owner = try files.attributesOfItem(atPath: folder + "/" + name)[.ownerAccountID]
                #expect(owner as? Int == 10_001, "\(name)")
            }
        }
    }

    @Test("what more than the owner may use is warned of once, and what nobody else may is not")
    func warnings() throws {
        let server = try TestServer()
        let (data, key, database) = (
            server.data, server.data + "/master.key", server.data + "/sojourn.db"
        )
        func warned(_ directory: Int, _ keyMode: Int, _ databaseMode: Int) throws -> [String] {
            for (path, mode) in [(data, directory), (key, keyMode), (database, databaseMode)] {
                try Self.setMode(mode, path)
            }
            try server.start()
            let lines = server.logText.split(separator: "\n").map(String.init)
            #expect(server.kill(SIGTERM) == 0)
            return lines.filter { $0.contains("chmod") || $0.contains("mode") }
        }
        #expect(try warned(0o700, 0o600, 0o600).isEmpty)
        for mode in [0o755, 0o770, 0o750, 0o710, 0o701, 0o704, 0o720, 0o2770] {
            let lines = try warned(mode, 0o600, 0o600)
            #expect(lines.count == 1, "\(mode): \(lines)")
            #expect(lines.allSatisfy { $0.hasSuffix("; chmod 0700 \(data)") }, "\(lines)")
        }
        for mode in [0o644, 0o640, 0o604, 0o620] {
            let lines = try warned(0o700, mode, 0o600)
            #expect(lines.count == 1, "\(mode): \(lines)")
            #expect(lines.allSatisfy { $0.hasSuffix("; chmod 0600 \(key)") }, "\(lines)")
        }
        for mode in [0o644, 0o640, 0o604] {
            let lines = try warned(0o700, 0o600, mode)
            #expect(lines.count == 1, "\(mode): \(lines)")
            #expect(lines.allSatisfy { $0.hasSuffix("; chmod 0600 \(database)") }, "\(lines)")
        }
        #expect(try warned(0o755, 0o640, 0o644).count == 3)
        // What keeps it from starting is one line.
        let result = try Self.serve(data)
        #expect(result.status == 69 && result.errors.split(separator: "\n").count == 1)
        try Self.setMode(0o700, data)
    }

    @Test("a key that systemd hands over is taken as it is")
    func credential() throws {
        let server = try TestServer()
        let folder = try Self.folder(0o755)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.moveItem(
            atPath: server.data + "/master.key", toPath: folder + "/master.key")
        try Self.setMode(0o446, folder + "/master.key")
        try server.start(environment: ["CREDENTIALS_DIRECTORY": folder])
        #expect(!server.logText.contains("chmod"))
        #expect(server.kill(SIGTERM) == 0)
    }
}
