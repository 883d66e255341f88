import Foundation
import Synchronization
import TestSupport
import Testing

/// Each app for itself: whatever one posts, another's answers and reports are what they are alone
/// (docs/threat-model.md, Somebody who has the app).
@Suite("apps beside each other")
struct NeighbourTests {
    private static let batches = 60

    /// One server; `quiet` is the app whose answers are looked at.
    private final class Site: @unchecked Sendable {
        let server: TestServer
        private let token: String
        private var connection: TestConnection?

        init(masterKeyOf other: Site? = nil) throws {
            server = try TestServer(masterKeyOf: other?.server)
            try BuiltProgram.json(["app", "add", "quiet", "--allow-plain", "--data", server.data])
            let made = try BuiltProgram.json([
                "token", "add", "--scope", "ingest", "--app", "quiet", "--data", server.data,
            ])
            token = try #require(made["token"] as? String)
        }

        func start() throws {
            try server.start(["--max-event-age", "100d"])
            connection = try server.connect()
        }

        /// Status and body of the answer to a batch of the quiet app's.
        func post(_ text: String) -> String {
            let answer = connection?.exchange(
                NeighbourTests.request(app: "quiet", token: token, Array(text.utf8)))
            return answer.map { "\($0.status) \($0.body)" } ?? "no answer"
        }
    }

    private static func request(app: String, token: String, _ body: [UInt8]) -> [UInt8] {
        Array(
            """
            POST /v1/apps/\(app)/batches HTTP/1.1\r
            Host: x\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """.utf8) + body
    }

    /// Posts whatever a stranger may, until it is stopped, and no less than `least` times.
    private final class Stranger: Sendable {
        private static let least = 40
        private let stops = Atomic(false)
        private let ended = DispatchSemaphore(value: 0)
        /// By status.
        private let counts = Mutex<[Int: Int]>([:])

        var told: [Int: Int] { counts.withLock(\.self) }

        init(_ server: TestServer, seed: UInt64) {
            Thread.detachNewThread { [self] in
                var posts = StrangerPosts(seed: seed, devices: devices, names: names)
                var connection = try? server.connect()
                var posted = 0
                while posted < Self.least || !stops.load(ordering: .relaxed) {
                    posted += 1
                    let request = NeighbourTests.request(
                        app: "shop", token: server.ingestToken, posts.next())
                    let status = connection?.exchange(request)?.status ?? 0
                    counts.withLock { $0[status, default: 0] += 1 }
                    if status == 0 { connection = try? server.connect() }
                }
                ended.signal()
            }
        }

        func stop() {
            stops.store(true, ordering: .relaxed)
            ended.wait()
        }
    }

    private static let devices = (0..<12).map { "phone-\($0)" }
    private static let names = ["screen.view", "order.sent", "seen"]

    /// A batch of the quiet app's; some have an event that is rejected, some are none at all.
    private static func batch(_ number: Int, noon: Int64, _ random: inout SplitMix) -> String {
        let device = devices.randomElement(using: &random) ?? "phone"
        let colliding = StrangerPosts.collidingIDs
        let id = number % 5 == 0 ? colliding[number / 5 % colliding.count] : "b-\(number)"
        var moment = noon - Int64.random(in: 2..<30, using: &random) * 86_400_000
        let session = "s-\(number % 40)"
        let count = Int.random(in: 1..<12, using: &random)
        let events = (0..<count).map { index in
            moment += Int64.random(in: 0..<90_000, using: &random)
            let (name, more) =
                [
                    ("session.start", ""), ("session.end", ""), ("screen.view", #","n":5"#),
                    ("order.sent", #","size":"\#(index)""#),
                    ("usage.counter", #","counter.name":"c","counter.value":\#(index)"#),
                    ("content.view", #","content.id":"page-\#(index % 3)""#),
                    ("video.enter_fullscreen", #","video.id":"v""#), ("NO NAME", ""),
                ].randomElement(using: &random) ?? ("seen", "")
            return
                #"{"name":"\#(name)","time":\#(moment),"attributes":{"session.id":"\#(session)"\#(more)}}"#
        }
        let end = number % 11 == 7 ? "" : "]}"
        return #"{"batch_id":"\#(id)","sequence":\#(number),"resource":"#
            + #"{"app.installation.id":"\#(device)","os.name":"iOS","service.version":"\#(number % 3)"},"#
            + #""events":[\#(events.joined(separator: ","))\#(end)"#
    }

    /// Every report there is, asked so that it has something to say.
    private static let questions = [
        "active?", "active?interval=day&", "sessions?", "retention?", "events?",
        "events?name=order.sent&by=size&", "counters?", "platforms?",
        "versions?dimension=service.version&",
        "funnel?step=screen.view&step=order.sent&", "content?", "videos?", "lifetime?", "quality?",
        "rejects?", "export?", "counters?format=csv&", "events?os.name=iOS&",
    ]

    /// All that follows from the moment at which a batch arrived, which is another one at either server.
    private static func withoutArrival(_ body: String) -> String {
        body.replacing(/"(received_at|late_p50|late_p95)":-?[0-9.]+/) { "\"\($0.output.1)\":0" }
    }

    /// They were heard, and they broke nothing.
    private static func end(_ strangers: [Stranger]) {
        for stranger in strangers { stranger.stop() }
        let told = strangers.reduce(into: [:]) { $0.merge($1.told, uniquingKeysWith: +) }
        #expect(told[200, default: 0] > 20 && told[400, default: 0] > 0, "\(told)")
        #expect(told.keys.allSatisfy { $0 < 500 && $0 != 0 }, "\(told)")
    }

    @Test(
        "whatever one app posts, another's answers and reports are the same bytes as alone",
        arguments: [1, 2] as [UInt64])
    func property(seed: UInt64) throws {
        let alone = try Site()
        let beside = try Site(masterKeyOf: alone)
        var random = SplitMix(seed: seed)
        let noon = now / 86_400_000 * 86_400_000 - 43_200_000
        let texts = (0..<Self.batches).map { Self.batch($0, noon: noon, &random) }
        // A repeat now and then, and each of those that the stranger may repeat, too.
        let posts = texts.enumerated().flatMap { number, text in
            number % 4 == 3 ? [text, texts[number / 2]] : [text]
        }
        // The second half comes after a restart, to what the strangers have left. At a server's end all that
        // it has counted is stored.
        for half in [posts[..<(posts.count / 2)], posts[(posts.count / 2)...]] {
            for site in [alone, beside] { try site.start() }
            let strangers = (0..<2).map { Stranger(beside.server, seed: seed &* 1000 + $0) }
            for text in half {
                let (expected, found) = (alone.post(text), beside.post(text))
                #expect(found == expected)
            }
            Self.end(strangers)
            for site in [alone, beside] { #expect(site.server.kill(SIGTERM) == 0) }
        }
        for site in [alone, beside] { try site.start() }
        let stranger = Stranger(beside.server, seed: seed &* 1000 + 2)
        for question in Self.questions {
            let target = question + "app=quiet&from=\(day(-40))&to=\(day(0))"
            let expected = Self.withoutArrival(try alone.server.report(target))
            let found = Self.withoutArrival(try beside.server.report(target))
            #expect(found == expected, "\(question)")
            #expect(expected.contains("\":") || question.contains("csv"), "\(question)")
            #expect(!expected.contains(#""rows":[]"#), "\(question)")
        }
        Self.end([stranger])
        for site in [alone, beside] { #expect(site.server.kill(SIGTERM) == 0) }
    }
}
