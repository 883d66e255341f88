import Foundation
import HTTP1
import Sockets
import Testing

@testable import Dashboard
@testable import Service

/// `GET /` over a socket (docs/dashboard.md, How it is served).
@Suite("the dashboard's route")
struct DashboardRouteTests {
    private static let page = DashboardPage.embedded

    /// Asks a server of the site's.
    private static func client(
        _ site: ReportTestSite, _ settings: [String: String] = [:]
    ) throws -> ReportTestReader {
        ReportTestReader(port: try site.serve(settings).port)
    }

    private static func ask(
        _ reader: ReportTestReader, _ target: String = "/", method: String = "GET",
        fields: [String] = []
    ) -> Int {
        reader.forget()
        let lines = ["\(method) \(target) HTTP/1.1", "Host: x"] + fields
        reader.say(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return reader.status
    }

    /// The body of as many bytes as its length says.
    private static func body(_ reader: ReportTestReader) throws -> [UInt8] {
        let length = try #require(reader.field("Content-Length").flatMap { Int($0) })
        let head = reader.head.utf8.count
        try #require(reader.reads(count: head + length))
        return Array(reader.received[head...])
    }

    @Test("whoever asks gets the page, with all its fields and no more than it has")
    func page() throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        #expect(Self.ask(reader) == 200)
        #expect(reader.field("Content-Type") == "text/html; charset=utf-8")
        #expect(reader.field("ETag") == Self.page.identity.tag)
        #expect(reader.field("Content-Encoding") == nil)
        for (name, value) in Self.page.fields { #expect(reader.field("\(name)") == value) }
        #expect(reader.field("Set-Cookie") == nil)
        #expect(reader.field("Access-Control-Allow-Origin") == nil)
        #expect(try Self.body(reader) == Self.page.identity.body)
    }

    @Test("it comes as gzip where that is taken, under a tag of its own")
    func gzip() throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        #expect(Self.ask(reader, fields: ["Accept-Encoding: br, gzip"]) == 200)
        #expect(reader.field("Content-Encoding") == "gzip")
        #expect(reader.field("ETag") == Self.page.gzip.tag)
        #expect(try Self.body(reader) == Self.page.gzip.body)
        #expect(Self.ask(reader, fields: ["Accept-Encoding: gzip;q=0, identity"]) == 200)
        #expect(reader.field("Content-Encoding") == nil)
        #expect(try Self.body(reader) == Self.page.identity.body)
    }

    @Test(
        "who has it gets 304 with all fields and no body", arguments: [false, true],
        ["GET", "HEAD"])
    func conditional(isCoded: Bool, method: String) throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        let coding = isCoded ? ["Accept-Encoding: gzip"] : []
        let (own, other) =
            isCoded
            ? (Self.page.gzip.tag, Self.page.identity.tag)
            : (Self.page.identity.tag, Self.page.gzip.tag)
        for known in [own, "W/" + own, "\"x\", " + own, "*"] {
            #expect(
                Self.ask(reader, method: method, fields: coding + ["If-None-Match: " + known])
                    == 304)
            #expect(reader.reads(to: "\r\n\r\n"))
            #expect(reader.field("ETag") == own)
            for (name, value) in Self.page.fields { #expect(reader.field("\(name)") == value) }
            #expect(reader.field("Content-Length") == nil)
            #expect(reader.field("Content-Encoding") == nil)
        }
        for unknown in [other, "\"x\"", "W/\"x\""] {
            let fields = coding + ["If-None-Match: " + unknown]
            #expect(Self.ask(reader, method: "HEAD", fields: fields) == 200)
        }
        let two = coding + ["If-None-Match: \"x\"", "If-None-Match: " + own]
        #expect(Self.ask(reader, method: method, fields: two) == 304)
    }

    @Test("HEAD has the same fields and no body, OPTIONS says what there is")
    func otherMethods() throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        func head(_ method: String, _ fields: [String]) -> [String] {
            #expect(Self.ask(reader, method: method, fields: fields) == 200)
            return reader.head.components(separatedBy: "\r\n").filter { !$0.hasPrefix("Date:") }
        }
        for fields in [[], ["Accept-Encoding: gzip"]] {
            let short = head("HEAD", fields)
            #expect(!reader.waits(50) && reader.body.isEmpty)
            #expect(head("GET", fields) == short)
            _ = try Self.body(reader)
        }
        #expect(Self.ask(reader, method: "OPTIONS") == 204)
        #expect(reader.field("Allow") == "GET, HEAD, OPTIONS")
    }

    @Test("other methods are 405", arguments: ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
    func notAllowed(method: String) throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        #expect(Self.ask(reader, method: method, fields: ["Content-Length: 0"]) == 405)
        #expect(reader.field("Allow") == "GET, HEAD, OPTIONS")
        let problem = String(decoding: try Self.body(reader), as: UTF8.self)
        #expect(problem.contains("\"code\":\"method-not-allowed\""))
    }

    @Test("neither a query nor a token changes anything")
    func ignored() throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        for target in ["/?", "/?app=shop&utm=1", "http://x/", "http://x", "http://x?a=1"] {
            #expect(Self.ask(reader, target) == 200, "\(target)")
            #expect(try Self.body(reader) == Self.page.identity.body, "\(target)")
        }
        for token in ["Bearer sj_nonsense", "Bearer \(site.token)", "Basic eA=="] {
            #expect(Self.ask(reader, fields: ["Authorization: " + token]) == 200)
            #expect(try Self.body(reader) == Self.page.identity.body)
        }
    }

    @Test(
        "what is like its path is not there",
        arguments: [
            "/index.html", "//", "/.", "/./", "/%2e", "/%2F", "/;", "/dashboard", "/favicon.ico",
            "/page.html", "/main.js", "///", "http://x//",
        ])
    func paths(target: String) throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site)
        #expect(Self.ask(reader, target) == 404)
    }

    @Test("switched off there is none, and reports stay")
    func off() throws {
        let site = try ReportTestSite()
        let reader = try Self.client(site, ["dashboard": "off"])
        for (method, target) in [
            ("GET", "/"), ("OPTIONS", "/"), ("POST", "/"), ("GET", "http://x"),
        ] {
            #expect(Self.ask(reader, target, method: method, fields: ["Content-Length: 0"]) == 404)
            let problem = String(decoding: try Self.body(reader), as: UTF8.self)
            #expect(problem.contains("\"code\":\"not-found\""))
        }
        #expect(Self.ask(reader, "/report", fields: ["Authorization: Bearer \(site.token)"]) == 200)
    }

    @Test("it stands where reports stand, and nowhere else", arguments: [true, false])
    func listeners(isOn: Bool) throws {
        let site = try ReportTestSite()
        let settings = [
            "report-listen": "127.0.0.1:0", "admin-listen": "127.0.0.1:0",
            "dashboard": isOn ? "on" : "off",
        ]
        let (core, _) = try site.serve(settings)
        let ports = (core.server?.addresses ?? []).dropFirst(core.hiddenGroups).map {
            UInt16($0.first?.split(separator: ":").last ?? "") ?? 0
        }
        let statuses = ports.map { Self.ask(ReportTestReader(port: $0)) }
        #expect(statuses == [404, isOn ? 200 : 404, 404])
    }

    @Test("requests are counted under its route")
    func counted() throws {
        let site = try ReportTestSite()
        let (core, port) = try site.serve()
        let reader = ReportTestReader(port: port)
        #expect(Self.ask(reader) == 200)
        _ = try Self.body(reader)
        #expect(Self.ask(reader, method: "HEAD", fields: ["If-None-Match: *"]) == 304)
        #expect(Self.ask(reader, method: "OPTIONS") == 204)
        #expect(Self.ask(reader, method: "DELETE") == 405)
        for status in [200, 304, 204, 405] {
            #expect(core.meters.requests(.dashboard, status: status) == 1, "\(status)")
        }
        #expect(RouteLabel.dashboard.text == "/")
    }

    @Test("pages that nobody takes wait in the room for answers, and leave what others need")
    func waiting() throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 30_000)
        let large = DashboardPage(document: text, style: [], modules: [:])
        let room = AnswerRoom(limit: 100_000)
        let route = DashboardRoute(large, answers: room)
        var held = (0..<3).map { _ in route.response(isCoded: false, unless: []) }
        #expect(held.map(\.status) == [200, 200, 503])
        #expect(room.used == 60_000)
        #expect(route.response(isCoded: false, unless: ["*"]).status == 304)
        let report = room.hold(30_000, of: 1)
        #expect(report != nil)
        held = []
        #expect(room.used == 30_000)
        #expect(route.response(isCoded: false, unless: []).status == 200)
    }
}
