import Foundation
import Storage
import Testing

@testable import Service

/// Batches that HTTP itself refuses, after their head has been admitted (docs/reports.md, `rejects`).
@Suite("counts of refused batches")
struct RefusalCountTests {
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
        core.refusals.flush()
        let rows = try site.store.reader().prepare("SELECT code, batches FROM refusal")
        var found: [String] = []
        while try rows.step() { found.append("\(rows.text(0)) \(rows.int(1))") }
        #expect(found == (code.map { ["\($0) 1"] } ?? []))
    }
}
