import Events
import Foundation
import Ingest
import Storage
import Testing

@testable import Service

/// `POST /v1/logs` over HTTP (docs/opentelemetry.md).
@Suite("the logs endpoint")
struct LogsRouteTests {
    private struct Posts {
        let site: ReportTestSite
        let core: ServiceCore
        let port: UInt16
        let token: String

        init(_ settings: [String: String] = [:]) throws {
            site = try ReportTestSite()
            _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
            token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
            (core, port) = try site.serve(settings, rateClock: { 1 })
        }

        func post(
            _ body: String, query: String = "", type: String = "application/json",
            fields: String = "", token: String? = nil
        ) -> (status: Int, head: String) {
            let client = ReportTestReader(port: port)
            client.say(
                """
                POST /v1/logs\(query) HTTP/1.1\r
                Host: a\r
                Authorization: Bearer \(token ?? self.token)\r
                Content-Type: \(type)\r
                \(fields)Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """)
            return (client.status, client.head)
        }

        func rows(_ sql: String) throws -> [String] {
            let rows = try site.store.reader().prepare(sql)
            var found: [String] = []
            while try rows.step() {
                found.append(
                    (0..<rows.columnCount).map { rows.text($0) }.joined(separator: " "))
            }
            return found
        }

        func refusals() throws -> [String] {
            core.refusals.settle()
            return try rows("SELECT code, batches FROM refusal ORDER BY code")
        }
    }

    /// A ResourceLogs with records of so many names.
    private static func resource(_ device: String?, _ names: [String]) -> String {
        let now = UInt64(Date().timeIntervalSince1970) * 1_000_000_000
        let records = names.enumerated().map { index, name in
            #"{"timeUnixNano":"\#(now + UInt64(index))","eventName":"\#(name)"}"#
        }.joined(separator: ",")
        let attributes = device.map {
            #"{"key":"device.id","value":{"stringValue":"\#($0)"}}"#
        }
        return #"{"resource":{"attributes":[\#(attributes ?? "")]},"#
            + #""scopeLogs":[{"logRecords":[\#(records)]}]}"#
    }

    private static func request(_ resources: [String]) -> String {
        #"{"resourceLogs":[\#(resources.joined(separator: ","))]}"#
    }

    @Test("a request of many devices takes one place in the queue, and has one answer")
    func manyDevices() throws {
        let posts = try Posts(["max-pending-batches": "1"])
        let devices = (0..<200).map { Self.resource("d\($0)", ["a.b", "c.d"]) }
        #expect(posts.post(Self.request(devices)).status == 200)
        #expect(try posts.rows("SELECT count(*) FROM batch") == ["200"])
        #expect(try posts.rows("SELECT count(*) FROM event") == ["400"])
        #expect(try posts.rows("SELECT count(DISTINCT device) FROM batch") == ["200"])
        // The body's bytes count once, with the first of its batches.
        #expect(try posts.rows("SELECT count(*) FROM batch WHERE body_bytes > 0") == ["1"])
        #expect(try posts.rows("SELECT DISTINCT profile FROM v_batches") == ["otlp"])
        #expect(posts.post(Self.request(devices.reversed())).status == 200)
        #expect(try posts.rows("SELECT count(*) FROM batch") == ["200"])
        #expect(try posts.rows("SELECT sum(times) FROM repeat") == ["200"])
    }

    @Test("a resource without a device is one refused batch, and takes no others with it")
    func withoutDevice() throws {
        let posts = try Posts()
        let body = Self.request([
            Self.resource(nil, ["a.b", "a.c"]), Self.resource("d", ["a.b", "Bad", ""]),
            Self.resource(nil, []), Self.resource(nil, ["a.b"]),
        ])
        #expect(posts.post(body).status == 200)
        #expect(try posts.rows("SELECT accepted, rejected FROM batch") == ["1 2"])
        #expect(
            try posts.rows("SELECT code, events FROM rejection ORDER BY code")
                == ["invalid-name 1", "not-an-event 1"])
        #expect(try posts.refusals() == ["invalid-device-id 2"])
    }

    @Test(
        "a refused request is one refused batch of the app that a good token names",
        arguments: [
            ("", "text/plain", "", 415, "unsupported-media-type"),
            ("", "application/json", "Content-Encoding: br\r\n", 415, "unsupported-encoding"),
            ("?dry_run=2", "application/json", "", 400, "bad-request"),
            ("", "application/json", "", 400, "malformed-json"),
            ("", "application/x-protobuf", "", 400, "malformed-protobuf"),
        ])
    func refused(
        query: String, type: String, fields: String, status: Int, code: String
    ) throws {
        let posts = try Posts()
        #expect(posts.post("{", query: query, type: type, fields: fields).status == status)
        #expect(
            posts.post("{", query: query, type: type, fields: fields, token: "sj_no").status
                == (status == 415 || code == "bad-request" ? status : 401))
        #expect(try posts.refusals() == ["\(code) 1"])
    }

    @Test("the limit of a device counts only where all records are of one device")
    func rateLimit() throws {
        let posts = try Posts(["rate-limit": "1"])
        let one = Self.request([Self.resource("d", ["a.b"])])
        #expect(posts.post(one).status == 200)
        let again = posts.post(one)
        #expect(again.status == 429 && again.head.contains("\r\nRetry-After: 1\r\n"))
        let two = Self.request([Self.resource("d", ["a.b"]), Self.resource("e", ["a.b"])])
        for _ in 0..<3 { #expect(posts.post(two).status == 200) }
        let nobody = Self.request([Self.resource("d", ["a.b"]), Self.resource(nil, ["a.b"])])
        for _ in 0..<3 { #expect(posts.post(nobody).status == 200) }
    }

    @Test("a body of too many elements is 413, on a loop and beside it")
    func elements() throws {
        for (limit, count, status) in [
            (100, 90, 200), (100, 100, 413), (20_000, 19_000, 200), (20_000, 20_000, 413),
        ] {
            let posts = try Posts(["max-elements": "\(limit)"])
            let zeros = Array(repeating: "0", count: count).joined(separator: ",")
            #expect(posts.post("{\"x\":[\(zeros)]}").status == status, "\(limit) \(count)")
            #expect(try posts.refusals() == (status == 413 ? ["too-many-elements 1"] : []))
        }
    }

    @Test("an error is retried by OTLP's clients where that helps: never 408, 500 or 507")
    func statuses() {
        for code in ProblemCode.allCases {
            for encoding in [LogsEncoding.protobuf, .json, nil] {
                let form = AnswerForm.logs(encoding, origin: nil)
                let response = form.response(to: Problem(code))
                #expect(![408, 500, 507].contains(response.status), "\(code)")
                let hasWait = response.fields.contains { "\($0.name)" == "Retry-After" }
                if response.status == 429 || response.status == 503, encoding != nil,
                    code != .reportTooLarge
                {
                    #expect(hasWait, "\(code)")
                }
            }
        }
        let full = AnswerForm.logs(.json, origin: nil).response(to: Problem(.storageFull))
        #expect(full.status == 503)
        #expect(full.fields.contains { "\($0.name)" == "Retry-After" && $0.value == "60" })
        #expect(
            String(decoding: full.body, as: UTF8.self)
                == #"{"message":"storage-full: Try again when the server has room."}"#)
    }

    @Test("the text about rejected records names every code, in at most 1,000 bytes")
    func message() throws {
        var rejections = LogRejections()
        let place = RecordPlace(resource: 49_999, scope: 49_999, record: 49_999)
        for rule in EventRule.allCases.reversed() { rejections.add(rule, 50_000, at: place) }
        let response = LogsAnswer.response(rejections, .json)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(response.body))
                as? [String: [String: String]])
        let text = try #require(json["partialSuccess"]?["errorMessage"])
        #expect(text.utf8.count <= 1_000)
        #expect(
            text.components(separatedBy: "; ").map { $0.split(separator: ",")[0] }
                == EventRule.codes.map { code in
                    let rules = EventRule.allCases.count { $0.code == code }
                    return "\(50_000 * rules) \(code)"
                })
    }

    @Test(
        "a page may send the fields that it asks for, or those that OTLP needs",
        arguments: [
            (["traceparent"], "traceparent"), (["X-Own-1, Baggage ,b3"], "X-Own-1, Baggage ,b3"),
            (["a", "b,c"], "a,b,c"), (["!#$%&'*+-.^_`|~a9"], "!#$%&'*+-.^_`|~a9"), (["*"], "*"),
            ([String(repeating: "x", count: 1024)], String(repeating: "x", count: 1024)),
            ([], nil), ([""], nil), ([" "], nil), (["a,"], nil), ([",a"], nil), (["a,,b"], nil),
            (["a b"], nil), (["x:y"], nil), (["x\"y"], nil), (["x-é"], nil), (["x-<script>"], nil),
            (["x-ok, y(z)"], nil), (["a;b"], nil), (["a", ""], nil),
            ([String(repeating: "x", count: 1025)], nil),
            (Array(repeating: "x-123", count: 171), nil),
        ] as [([String], String?)])
    func fields(asked: [String], allowed: String?) {
        #expect(
            CORSOrigins.allowedFields(asked)
                == allowed ?? "authorization, content-type, content-encoding")
    }

    @Test("a preflight's answer is for what was asked, and says so to caches")
    func preflight() throws {
        let posts = try Posts(["cors-origins": "https://shop.example"])
        func ask(_ fields: String) -> String {
            let client = ReportTestReader(port: posts.port)
            client.say(
                "OPTIONS /v1/logs HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n"
                    + "Access-Control-Request-Method: POST\r\n\(fields)\r\n")
            #expect(client.status == 204)
            #expect(client.field("Vary") == "Origin, Access-Control-Request-Headers")
            #expect(client.field("Access-Control-Allow-Origin") == "https://shop.example")
            #expect(client.field("Access-Control-Allow-Credentials") == nil)
            return client.field("Access-Control-Allow-Headers") ?? ""
        }
        let needed = "authorization, content-type, content-encoding"
        #expect(ask("") == needed)
        #expect(
            ask("Access-Control-Request-Headers: authorization,traceparent\r\n")
                == "authorization,traceparent")
        #expect(ask("Access-Control-Request-Headers: a(b)\r\n") == needed)
    }

    @Test(
        "an origin is one as browsers send it, or *",
        arguments: [
            ("https://shop.example", true), ("http://localhost:3000", true), ("*", true),
            ("http://[::1]:8080", true), ("http://a.b:80", false),
            ("https://a.b:443", false), ("https://a.b:8443", true),
            ("https://shop.example/", false), ("shop.example", false),
            ("https://", false), ("HTTPS://shop.example", false), ("", false), ("null", false),
        ])
    func origins(text: String, isOne: Bool) {
        #expect(CORSOrigins.isOrigin(text) == isOne)
    }
}
