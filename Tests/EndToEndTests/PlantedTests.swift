import Foundation
import TestSupport
import Testing

/// docs/operation.md, Logs: raw ids, secrets, tokens and bodies are in no line of the log, at any
/// level, whatever is sent; and the first three in no file and no metric.
@Suite("planted secrets", .tags(.long), .serialized)
struct PlantedTests {
    /// Stands in all that is sent below, and so must stand nowhere in the log.
    private static let mark = "planted-7c1e"

    /// A server that has taken, refused and reported everything there is to.
    private struct Site {
        let server: TestServer
        let folder: String
        /// What may be in no file, log or metric.
        var secrets: [String] = []

        init() throws {
            server = try TestServer()
            folder = server.data + "-files"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            secrets = [server.secret, server.reportToken, server.ingestToken]
        }

        func write(_ name: String, _ text: String) throws -> String {
            let path = folder + "/" + name
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }

        /// Posts one good and one broken batch in a profile, sealed as a device would.
        mutating func send(_ profile: String, _ options: [String], statuses: Set<Int32>) throws {
            let device = "\(mark)-device-\(profile)"
            secrets.append(device)
            let good = batch("\(mark)-batch-\(profile)", device: device).replacingOccurrences(
                of: #""attributes":{"n":0}"#, with: #""attributes":{"\#(mark)":"\#(mark)-value"}"#)
            let texts = [
                good,
                good.replacingOccurrences(of: #""time":"#, with: #""time":"\#(mark)","x":"#),
                good.replacingOccurrences(
                    of: #""batch_id":"#, with: #""batch_id":["\#(mark)"],"x":"#),
                good.replacingOccurrences(of: device, with: String(repeating: device, count: 40)),
                "{\"\(mark)\": ",
            ]
            for (number, text) in texts.enumerated() {
                let file = try write("\(profile)-\(number).json", text)
                let result = try BuiltProgram.run(
                    [
                        "send", file, "--url", server.url, "--app", "shop", "--profile", profile,
                        "--patience", "0s",
                    ] + options)
                #expect(statuses.contains(result.status), "\(profile) \(number): \(result.errors)")
            }
        }
    }

    private static func requests(_ site: Site) -> [String] {
        let (server, mark) = (site.server, mark)
        func post(_ path: String, _ fields: String, _ body: String) -> String {
            "POST \(path) HTTP/1.1\r\nHost: \(mark)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        func get(_ path: String, _ token: String) -> String {
            "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\nUser-Agent: \(mark)\r\n\r\n"
        }
        let (good, json) = ("Bearer \(server.reportToken)", "Content-Type: application/json\r\n")
        let ingest = "Authorization: Bearer \(server.ingestToken)\r\n"
        let shop = "/v1/apps/shop/batches"
        let posts = [
            post(shop, json, mark), post(shop, json + ingest, mark),
            post(shop, json + "Authorization: Bearer sj_\(mark)\r\n", mark),
            post(shop, json + "Authorization: Bearer \(server.reportToken)\r\n", mark),
            post(shop, "Content-Type: text/\(mark)\r\n" + ingest, mark),
            post(shop, json + "Content-Encoding: \(mark)\r\n" + ingest, mark),
            post(shop, json + "Content-Encoding: gzip, aes128gcm\r\n", mark + mark + mark),
            post(shop, "Content-Type: application/jose\r\n" + ingest, "\(mark).\(mark)...."),
            post("\(shop)?dry_run=\(mark)", json + ingest, mark),
            post("/v1/apps/\(mark)/batches", json + ingest, mark),
            post("/v1/legacy/\(mark)", "", mark), post("/\(mark)", "", mark),
            post(shop, "Expect: \(mark)\r\n" + json, mark),
            post(shop, "Transfer-Encoding: \(mark)\r\n" + json, mark),
        ]
        let heads = [
            "\(mark) / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\(mark) HTTP/9.9\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: \(mark)\r\nHost: \(mark)\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\(mark)\u{1}: \(mark)\r\n\r\n",
            "GET /\(String(repeating: mark, count: 2000)) HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: mark, count: 3000))\r\n\r\n",
            "DELETE /report/\(mark) HTTP/1.1\r\nHost: x\r\n\r\n",
        ]
        let asked = [
            "/report/\(mark)?app=shop", "/report/active?app=\(mark)", "/report/active",
            "/report/active?app=shop&\(mark)=1", "/report/active?app=shop&from=\(mark)",
            "/report/active?app=shop&tz=\(mark)", "/report/active?app=shop&interval=\(mark)",
            "/report/active?app=shop&format=\(mark)", "/report/active?app=shop&os.name=\(mark)",
            "/report/devices/\(mark)?app=shop", "/report/export?app=shop&from=\(mark)", "/report",
        ]
        return posts + heads + asked.map { get($0, good) }
            + [
                get("/report/active?app=shop", "Bearer sj_\(mark)"),
                get("/report/active?app=shop", "Basic \(mark)"),
                get("/report/active?app=shop&token=\(mark)", "Bearer \(server.ingestToken)"),
            ]
    }

    @Test("are in no line of the log at trace, no metric and no file", arguments: ["text", "json"])
    func nowhere(format: String) throws {
        var site = try Site()
        let server = site.server
        defer { try? FileManager.default.removeItem(atPath: site.folder) }
        let legacy = "0123456789abcdef0123456789abcdef"
        try BuiltProgram.json(
            [
                "key", "add", "--app", "shop", "--profile", "legacy", "--id", "old",
                "--secret-file", "-", "--data", server.data,
            ], input: legacy)
        let pair = try BuiltProgram.json(
            [
                "key", "add", "--app", "shop", "--profile", "jwe", "--id", "jw", "--data",
                server.data,
            ])
        let jwk = try JSONSerialization.data(
            withJSONObject: try #require(pair["public_jwk"]))
        try server.start([
            "--log-level", "trace", "--log-format", format, "--admin-listen", "127.0.0.1:0",
            "--max-header-bytes", "16KiB",
        ])
        let secret = try site.write("k1", server.secret)
        let old = try site.write("old", legacy)
        let publicKey = try site.write("jw", String(decoding: jwk, as: UTF8.self))
        let token = ["--token", server.ingestToken]
        let outcomes: Set<Int32> = [0, 65]
        try site.send("plain", token, statuses: outcomes)
        try site.send(
            "aes128gcm", ["--key", "k1", "--secret-file", secret], statuses: outcomes)
        try site.send("legacy", ["--key", "old", "--secret-file", old], statuses: outcomes)
        try site.send(
            "jwe", ["--key", "jw", "--secret-file", publicKey] + token, statuses: outcomes)
        // A key of the right name and the wrong octets: the body does not open.
        let wrong = try site.write("wrong", String(repeating: "ab", count: 32))
        try site.send("aes128gcm", ["--key", "k1", "--secret-file", wrong], statuses: [65])
        for request in Self.requests(site) { _ = try server.connect().exchange(request) }
        // Whatever happens on the control socket is logged no more than that.
        try BuiltProgram.json(
            ["token", "add", "--scope", "admin", "--data", server.data])
        let port = try #require(
            server.logText.matches(of: /listening on 127\.0\.0\.1:([0-9]+)/).last?.output.1)
        let metrics = try TestConnection(port: try #require(UInt16(port))).exchange(
            "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(metrics?.status == 200)
        #expect(server.kill(SIGTERM) == 0)
        server.waitForLog("stopped")
        let log = server.logText

        // The log has a line of each: what is not in it was not left out with the line.
        for sign in [
            "malformed-json", "undecodable", "unknown-app", "unknown-key", "jwe", "legacy",
        ] {
            #expect(log.contains(sign), "\(sign)")
        }
        #expect(log.components(separatedBy: "answered").count > 40)
        #expect(!log.contains(Self.mark))
        #expect(
            metrics?.body.contains("sojourn_batches_total{profile=\"jwe\",outcome=\"accepted\"} 1")
                == true)
        #expect(metrics?.body.contains(Self.mark) == false)
        let master = try Data(contentsOf: URL(filePath: server.data + "/master.key"))
        let forms = site.secrets + [legacy, String(repeating: "ab", count: 32)]
        for secret in forms {
            #expect(!log.contains(secret) && metrics?.body.contains(secret) == false)
        }
        #expect(Data(log.utf8).range(of: master) == nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: server.data) {
            let content = try Data(contentsOf: URL(filePath: server.data + "/" + file))
            for secret in forms {
                #expect(content.range(of: Data(secret.utf8)) == nil, "\(file) has \(secret)")
            }
        }
    }
}
