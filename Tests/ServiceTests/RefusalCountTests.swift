import Foundation
import Storage
import Testing

@testable import Service

/// Batches that HTTP itself refuses, after their head has been admitted (docs/reports.md, `rejects`).
@Suite("counts of refused batches")
struct RefusalCountTests {
    @Test(
        "what breaks HTTP in a head whose path names an app counts as refused",
        arguments: [
            (
                "POST", "", "Host: a\r\nExpect: wonders\r\nContent-Length: 2", 417,
                "expectation-failed"
            ),
            ("POST", "", "Content-Length: 2", 400, "bad-request"),
            ("POST", "", "Host: a\r\nFoo : 1", 400, "bad-request"),
            (
                "POST", "", "Host: a\r\n" + String(repeating: "a: b\r\n", count: 200) + "c: d", 431,
                "header-too-large"
            ),
            ("POST", "?dry_run=1", "Content-Length: 2", 400, nil),
            ("POST", "?dry%5Frun=%31", "Content-Length: 2", 400, nil),
            ("GET", "", "Foo : 1", 400, nil),
        ] as [(String, String, String, Int, String?)])
    func brokenHead(
        method: String, query: String, fields: String, status: Int, code: String?
    ) throws {
        let site = try ReportTestSite()
        let (core, port) = try site.serve()
        let client = ReportTestReader(port: port)
        client.say("\(method) /v1/apps/shop/batches\(query) HTTP/1.1\r\n\(fields)\r\n\r\n{}")
        #expect(client.status == status)
        #expect(try refusals(site, core) == (code.map { ["\($0) 1"] } ?? []))
    }

    @Test(
        "what two parties could read differently is refused",
        arguments: ["Authorization: Bearer x", "Content-Type: text/plain"])
    func twice(field: String) throws {
        let site = try ReportTestSite()
        _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
        let token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
        let (_, port) = try site.serve()
        let client = ReportTestReader(port: port)
        client.say(
            """
            POST /v1/apps/shop/batches?dry%5Frun=1 HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            \(field)\r
            Content-Length: 2\r
            \r
            {}
            """)
        #expect(client.status == 400)
    }

    @Test("a report asked for after a refusal includes it")
    func reported() throws {
        let site = try ReportTestSite()
        let (_, port) = try site.serve()
        for count in 1...3 {
            let device = ReportTestReader(port: port)
            device.say("POST /v1/apps/shop/batches HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            #expect(device.status == 400)
            let reader = ReportTestReader(port: port)
            reader.ask("/report/rejects?app=shop&format=csv", token: site.token)
            #expect(reader.reads(to: ",bad-request,\(count),0\r\n"))
        }
    }

    private func refusals(_ site: ReportTestSite, _ core: ServiceCore) throws -> [String] {
        core.refusals.settle()
        let rows = try site.store.reader().prepare("SELECT code, batches FROM refusal")
        var found: [String] = []
        while try rows.step() { found.append("\(rows.text(0)) \(rows.int(1))") }
        return found
    }

    @Test(
        "what breaks HTTP behind an admitted head counts as refused, but not of a dry run",
        arguments: [
            ("", "Transfer-Encoding: chunked", "zz\r\n", 400, "bad-request"),
            (
                "", "Transfer-Encoding: chunked",
                "2000\r\n" + String(repeating: " ", count: 0x2000) + "\r\n", 413,
                "body-too-large"
            ),
            ("", "Content-Length: 5000", "", 413, "body-too-large"),
            ("?dry_run=1", "Transfer-Encoding: chunked", "zz\r\n", 400, nil),
        ] as [(String, String, String, Int, String?)])
    func brokenBody(query: String, framing: String, body: String, status: Int, code: String?) throws
    {
        let site = try ReportTestSite()
        _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
        let token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
        let (core, port) = try site.serve(["max-body-bytes": "4KiB"])
        let client = ReportTestReader(port: port)
        client.say(
            """
            POST /v1/apps/shop/batches\(query) HTTP/1.1\r
            Host: a\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            \(framing)\r
            \r
            \(body)
            """)
        #expect(client.status == status)
        #expect(try refusals(site, core) == (code.map { ["\($0) 1"] } ?? []))
    }
}
