import Foundation
import Testing

/// The built program, real sockets, real files.
@Suite("the whole way", .serialized)
struct WholeWayTests {
    @Test("send posts a file as a device would, and tells of what was rejected")
    func send() throws {
        let server = try TestServer()
        try server.start()
        let folder = server.data + "-files"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(server.secret.utf8).write(to: URL(filePath: folder + "/secret"))
        let text = batch("sent-1").replacingOccurrences(
            of: #"[{"name":"app.tap""#, with: #"[{"name":"App Tap""#)
        try Data(text.utf8).write(to: URL(filePath: folder + "/batch.json"))
        let result = try BuiltProgram.run([
            "send", folder + "/batch.json", "--url", server.url, "--app", "shop", "--key",
            server.keyID,
            "--secret-file", folder + "/secret",
        ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.contains("2 accepted, 1 rejected")
                && result.output.contains("event 0: invalid-name"))
        let refused = try BuiltProgram.run(
            ["send", "-", "--url", server.url, "--app", "shop", "--token", server.reportToken],
            input: batch("sent-2"))
        #expect(refused.status == 65 && refused.output.contains("403 forbidden"))
        let away = try BuiltProgram.run(
            [
                "send", "-", "--url", "unix:/nonexistent/sojourn.sock", "--app", "shop", "--token",
                "sj_x",
                "--patience", "0s",
            ],
            input: batch("sent-3"))
        #expect(away.status == 69, "\(away.output) \(away.errors)")
    }

    @Test("the same simulation in another order gives the same bytes in another database")
    func order() throws {
        func reports(_ more: [String]) throws -> [String] {
            let server = try TestServer()
            try server.start()
            let run = try BuiltProgram.run(
                [
                    "simulate", "--app", "shop", "--devices", "60", "--days", "20", "--seed", "7",
                    "--until", day(-7), "--url", server.url, "--data", server.data,
                    // What the way takes is in the times of clocks that are put right.
                    "--wrong-clocks", "0", "--set-clocks", "0",
                ] + more)
            #expect(run.status == 0, "\(run.errors)")
            let names = [
                "active", "sessions", "platforms", "retention", "lifetime", "content", "videos",
                "funnel",
            ]
            return try names.flatMap { name in
                try ["json", "csv", "table"].map { form in
                    let steps = "&step=session.start&step=content.view&step=content.complete"
                    return try server.report(
                        "\(name)?app=shop&from=\(day(-40))&to=\(day(-3))&tz=Asia/Kathmandu&format=\(form)"
                            + (name == "funnel" ? steps : ""))
                }
            }
        }
        let inOrder = try reports([])
        #expect(inOrder[0].contains(#""active":0"#) && inOrder[1].count > 1000)
        #expect(try reports(["--connections", "1"]) == inOrder)
    }

    @Test("what commands change counts in the running server at once")
    func controlSocket() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        #expect(server.post(batch("b-1"), on: connection) == 200)
        #expect(
            try BuiltProgram.run(["app", "set", "shop", "--no-allow-plain", "--data", server.data])
                .status == 0)
        #expect(server.post(batch("b-2"), on: connection) == 403)
        #expect(
            try BuiltProgram.run(["app", "set", "shop", "--allow-plain", "--data", server.data])
                .status == 0)
        let list = try BuiltProgram.run(["token", "list", "--json", "--data", server.data]).output
        let id = try #require(list.firstMatch(of: /"id":"([^"]+)","scope":"ingest"/)?.output.1)
        #expect(
            try BuiltProgram.run(["token", "revoke", String(id), "--data", server.data]).status == 0
        )
        #expect(server.post(batch("b-3"), on: connection) == 401)
        #expect(try BuiltProgram.run(["migrate", "--data", server.data]).status == 75)
        #expect(
            try BuiltProgram.run(["serve", "--data", server.data, "--listen", "127.0.0.1:0"]).status
                == 75)
    }

    @Test("commands reach the server whatever way the data directory is named")
    func relativeFolder() throws {
        let server = try TestServer()
        try server.start()
        let parent = URL(filePath: server.data).deletingLastPathComponent().path
        let name = URL(filePath: server.data).lastPathComponent
        let added = try BuiltProgram.run(
            ["app", "add", "two", "--data", "./" + name], folder: parent)
        #expect(added.status == 0, "\(added.errors)")
        #expect(
            try BuiltProgram.run(["app", "list", "--data", name], folder: parent).output.contains(
                "two"))
    }

    @Test("raw ids, secrets and tokens stand in no file of the data directory and in no log")
    func nothingLeaks() throws {
        let server = try TestServer()
        try server.start()
        let connection = try server.connect()
        #expect(server.post(batch("b-1", device: "RAW-DEVICE-ID-0001"), on: connection) == 200)
        #expect(server.kill(SIGTERM) == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: server.data)
        #expect(files.contains("sojourn.db"))
        for file in files {
            let content = try Data(contentsOf: URL(filePath: server.data + "/" + file))
            for needle in [
                "RAW-DEVICE-ID-0001", server.secret, server.ingestToken, server.reportToken,
            ] {
                #expect(
                    content.range(of: Data(needle.utf8)) == nil, "\(file) has \(needle.prefix(8))")
            }
        }
        // The search would find what is there.
        let database = try Data(contentsOf: URL(filePath: server.data + "/sojourn.db"))
        #expect(database.range(of: Data("app.tap".utf8)) != nil)
    }
}
