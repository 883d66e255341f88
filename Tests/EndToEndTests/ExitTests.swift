import Foundation
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
