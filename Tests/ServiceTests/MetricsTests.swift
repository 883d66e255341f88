import Foundation
import Storage
import TestSupport
import Testing

@testable import Service

/// docs/metrics.md.
@Suite("metrics")
struct MetricsTests {
    private static func text(_ core: ServiceCore) -> String {
        String(decoding: core.metrics.response.body, as: UTF8.self)
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    @Test(
        "every metric of the table has HELP, TYPE and at least one sample, and nothing else comes")
    func complete() throws {
        let site = try ReportTestSite(events: 3)
        let (core, _) = try site.serve()
        core.meters.reportSeconds["active"]?.observe(1)
        core.meters.loop(0).countRequest(.live, status: 200)
        let lines = Self.lines(Self.text(core))
        for metric in Metric.allCases where !metric.isOfCluster {
            let name = metric.rawValue
            #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") }, "\(name)")
            #expect(lines.contains("# TYPE \(name) \(metric.row.kind.rawValue)"), "\(name)")
            for sample in metric.sampleNames {
                #expect(
                    lines.contains { $0.hasPrefix(sample + " ") || $0.hasPrefix(sample + "{") },
                    "\(sample)")
            }
        }
        // Without an engine nothing is said of one.
        #expect(!lines.contains { $0.contains("sojourn_forward") })
        let known = Set(Metric.allCases.flatMap(\.sampleNames))
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != " " && $0 != "{" }
            #expect(known.contains(String(name)), "\(line)")
        }
    }

    @Test("counters are called _total, and no other metric is", arguments: Metric.allCases)
    func names(metric: Metric) {
        #expect(metric.rawValue.hasSuffix("_total") == (metric.row.kind == .counter))
        #expect(metric.row.help.hasSuffix(".") || metric.row.help.hasSuffix("1."))
    }

    @Test("a meter adds up over threads, and each count has a place of its own")
    func places() {
        let meters = Meters(loops: 2)
        var places: Set<Int> = []
        for route in RouteLabel.allCases {
            for status in StatusLabel.texts.indices {
                places.insert(Meter.Layout.request(route, status))
            }
        }
        for profile in Meter.Layout.profiles {
            for outcome in BatchOutcome.all { places.insert(Meter.Layout.batch(outcome, profile)) }
        }
        places.insert(Meter.Layout.acceptedEvents)
        for code in Meter.Layout.codes { places.insert(Meter.Layout.rejectedEvents(code)) }
        #expect(places == Set(0..<Meter.Layout.size))
        meters.loop(0).countBatch(.accepted, profile: .jwe)
        meters.loop(1).countBatch(.accepted, profile: .jwe)
        meters.writer.countBatch(.accepted, profile: .jwe)
        meters.judges.countBatch(.accepted, profile: .jwe)
        #expect(meters.batches(.accepted, profile: .jwe) == 4)
        #expect(meters.batches(.accepted, profile: .plain) == 0)
        #expect(meters.batches(.duplicate, profile: .jwe) == 0)
    }

    @Test("a status that nobody planned is counted as other")
    func statuses() {
        #expect(StatusLabel.texts[StatusLabel.index(of: 200)] == "200")
        #expect(StatusLabel.texts[StatusLabel.index(of: 507)] == "507")
        for odd in [0, 99, 299, 600, -1, Int.max, Int.min + 100] {
            #expect(StatusLabel.texts[StatusLabel.index(of: odd)] == "other")
        }
    }

    @Test("a histogram counts a value within its bound and every higher one")
    func histogram() {
        let histogram = Histogram(bounds: [0.001, 0.5, 2], scale: 1_000_000_000)
        for value in [1_000_000, 1_000_001, 500_000_000, 2_000_000_001] {
            histogram.observe(value)
        }
        #expect(histogram.reading.within == [1, 3, 3])
        #expect(histogram.reading.count == 4)
        #expect(abs(histogram.reading.sum - 2.502_000_002) < 1e-9)
    }

    @Test("labels and help keep to their lines")
    func escaping() {
        #expect(Exposition.escaped("a\"b\\c\nd", quotes: true) == #"a\"b\\c\nd"#)
        #expect(Exposition.escaped("a\"b\\c\nd", quotes: false) == #"a"b\\c\nd"#)
        #expect(Exposition.number(3) == "3" && Exposition.number(0.25) == "0.25")
    }

    @Test("what clients post is told, repeats not as events, odd paths under no name of theirs")
    func counts() throws {
        let site = try ReportTestSite()
        _ = try site.store.registry.setApp("shop", AppChange(allowsPlain: true))
        let token = try site.store.registry.addToken(scope: .ingest, app: "shop").text
        let (core, port) = try site.serve()
        func send(_ head: String, _ body: String = "") -> Int {
            let client = ReportTestReader(port: port)
            client.say(
                "\(head) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            return client.status
        }
        let now = Timestamp.milliseconds
        let batch = """
            {"batch_id":"b","resource":{"device.id":"d"},"events":[{"name":"a","time":\(now)},
            {"name":"B","time":\(now)},{"name":"c","time":"x"},{"name":"d","time":\(now)}]}
            """
        #expect(send("POST /v1/apps/shop/batches", batch) == 200)
        #expect(send("POST /v1/apps/shop/batches", batch) == 200)
        #expect(send("POST /v1/apps/shop/batches?dry_run=1", batch) == 200)
        #expect(send("POST /v1/apps/shop/batches", "{") == 400)
        #expect(send("POST /v1/apps/shop/batches", "{}") == 422)
        #expect(send("POST /v1/apps/planted-app/batches", batch) == 404)
        #expect(send("POST /v1/legacy/planted-key", batch) == 401)
        #expect(send("GET /planted-path") == 404)
        #expect(send("GET /report/planted-report") == 403)
        let wanted = [
            #"sojourn_batches_total{profile="plain",outcome="accepted"} 1"#,
            #"sojourn_batches_total{profile="plain",outcome="duplicate"} 1"#,
            #"sojourn_batches_total{profile="plain",outcome="dry-run"} 1"#,
            #"sojourn_batches_total{profile="plain",outcome="malformed-json"} 1"#,
            #"sojourn_batches_total{profile="plain",outcome="invalid-batch"} 1"#,
            #"sojourn_batches_total{profile="legacy",outcome="unknown-key"} 1"#,
            #"sojourn_events_total{outcome="accepted",code=""} 2"#,
            #"sojourn_events_total{outcome="rejected",code="invalid-name"} 1"#,
            #"sojourn_events_total{outcome="rejected",code="invalid-time"} 1"#,
            #"sojourn_http_requests_total{route="/v1/apps/{app}/batches",status="200"} 3"#,
            #"sojourn_http_requests_total{route="/v1/apps/{app}/batches",status="404"} 1"#,
            #"sojourn_http_requests_total{route="none",status="404"} 1"#,
            #"sojourn_http_requests_total{route="/report/{name}",status="403"} 1"#,
        ]
        // An answer is counted when it leaves, which the client may see first.
        let settled = eventually {
            Set(wanted).isSubset(of: Self.lines(Self.text(core)))
        }
        #expect(settled, "\(Set(wanted).subtracting(Self.lines(Self.text(core))))")
        #expect(!Self.text(core).contains("planted"))
    }

    @Test("bytes that came and connections that are open are told")
    func sockets() throws {
        let site = try ReportTestSite()
        let (core, port) = try site.serve()
        let server = try #require(core.server)
        let client = ReportTestReader(port: port)
        let request = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
        client.say(request)
        #expect(client.status == 200)
        #expect(server.receivedBytes == request.utf8.count)
        client.forget()
        client.say(request)
        #expect(client.status == 200)
        #expect(server.receivedBytes == 2 * request.utf8.count)
        let lines = Self.lines(Self.text(core))
        #expect(lines.contains("sojourn_received_bytes_total \(2 * request.utf8.count)"))
        #expect(lines.contains("sojourn_connections 1"))
        client.reset()
        #expect(
            eventually {
                Self.lines(Self.text(core)).contains("sojourn_connections 0")
            })
    }

    @Test("the system's figures are read whatever the program is called")
    func process() throws {
        let stat =
            "42 (a) b (c) S 1 1 1 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 5 0 3000 1048576 17 99 1 1"
        let figures = try #require(
            ProcessFigures(stat: stat, ticks: 100, pageBytes: 4096, bootedAt: 1000))
        #expect(figures.cpuSeconds == 3)
        #expect(figures.startedAt == 1030)
        #expect(figures.virtualBytes == 1_048_576)
        #expect(figures.residentBytes == 17 * 4096)
        #expect(ProcessFigures(stat: "", ticks: 100, pageBytes: 1, bootedAt: 0) == nil)
        #expect(ProcessFigures(stat: "1 (a) S 1", ticks: 100, pageBytes: 1, bootedAt: 0) == nil)
        let own = try #require(ProcessFigures.now())
        #expect(own.residentBytes > 1 << 20 && own.virtualBytes >= own.residentBytes)
        let age = Date().timeIntervalSince1970 - own.startedAt
        #expect((0..<86_400).contains(age + 1))
        let open = try #require(ProcessFile.openFiles())
        let pipe = Pipe()
        #expect(try #require(ProcessFile.openFiles()) >= 2)
        withExtendedLifetime(pipe) {}
        #expect(open >= 2)
    }
}
