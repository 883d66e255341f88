import ClientTestSupport
import Compression
import Foundation
import Testing

@testable import Client

@Suite("the queue on disk")
struct DeviceQueueTests {
    private let folder = NSTemporaryDirectory() + "sojourn-queue-\(UUID().uuidString)"

    private func text(_ id: String, events: String = "[]") -> [UInt8] {
        Array(#"{"batch_id":"\#(id)","sent_at":1,"events":\#(events)}"#.utf8)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func delivery(_ server: TestServer, _ still: StillPace) throws -> Delivery {
        let sealer = try Sealer(.plain, app: "demo", token: "sj_1")
        let client = try HTTPClient(ServerAddress(server.url))
        return Delivery(BatchPoster(client, sealer), pace: still.pace)
    }

    @Test("what was put in is there after reopening, in order, byte for byte")
    func reopens() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let texts = (0..<12).map { text("b-\($0)") }
        do {
            let queue = try DeviceQueue(folder: folder)
            for text in texts { try queue.append(text) }
            let first = try #require(queue.entries.first)
            try queue.remove(first)
        }
        let queue = try DeviceQueue(folder: folder)
        #expect(try queue.entries.map { try queue.text(of: $0) } == Array(texts.dropFirst()))
        try queue.append(texts[0])
        let last = try #require(queue.entries.last)
        #expect(try queue.text(of: last) == texts[0])
        #expect(queue.entries.count == 12)
    }

    @Test("a folder and its files are for their owner alone")
    func modes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DeviceQueue(folder: folder)
        let entry = try queue.append(text("b"))
        func mode(_ path: String) -> UInt32? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
        }
        #expect(mode(folder) == 0o700)
        #expect(mode("\(folder)/\(entry.name)") == 0o600)
    }

    @Test("half-written files are cleared away, and what is no batch is left alone")
    func halfWritten() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name: String
        do {
            let queue = try DeviceQueue(folder: folder)
            name = try queue.append(text("b-1")).name
        }
        let later = "00000000000002097152-0123456789abcdef.batch.tmp"
        try Data("{\"batch".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(later)"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/notes.txt"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/x-y.batch"))
        let huge = "18446744073709551615-0123456789abcdef.batch"
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(huge)"))
        let queue = try DeviceQueue(folder: folder)
        #expect(queue.entries.map(\.name) == [name])
        try queue.append(text("b-2"))
        #expect(queue.entries.count == 2)
        #expect(!(try names()).contains(later))
        #expect(try names().contains("notes.txt"))
    }

    @Test("a damaged file is set aside and holds nothing back")
    func damaged() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first: DeviceQueue.Entry
        do {
            let queue = try DeviceQueue(folder: folder)
            first = try queue.append(text("b-1"))
            try queue.append(text("b-2"))
        }
        try Data(text("b-1").dropLast(3)).write(
            to: URL(fileURLWithPath: "\(folder)/\(first.name)"))
        let server = try TestServer { _, _ in TestServer.stored("b-2") }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        let delivery = try delivery(server, StillPace())
        var fates: [DeviceQueue.Fate] = []
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { fates.append($1) }
        #expect(fates.count == 2)
        #expect(fates.first == .damaged)
        #expect(queue.entries.isEmpty)
        #expect(try names() == [first.name + ".damaged", "lock"])
    }

    @Test("a second process is refused while the queue is open")
    func locked() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DeviceQueue(folder: folder)
        let failure = #expect(throws: QueueFailure.self) { try DeviceQueue(folder: folder) }
        #expect(failure?.description.contains("another process") == true)
        withExtendedLifetime(queue) {}
    }

    @Test("a folder that cannot be made is named")
    func noFolder() {
        let failure = #expect(throws: QueueFailure.self) {
            try DeviceQueue(folder: "/proc/nowhere")
        }
        #expect(failure?.description.hasPrefix("cannot make the folder /proc/nowhere: ") == true)
    }

    @Test("batches go out in order, again and again with the same bytes but for sent_at")
    func drains() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { request, before in
            switch before {
            case 0: return TestServer.problem(503, "overloaded", fields: ["Retry-After: 7"])
            case 1: return .close
            case 2: return TestServer.answer("200 OK", type: "text/html", "log in")
            default: return TestServer.stored(before == 3 ? "b-0" : "b-1")
            }
        }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        for number in 0..<2 { try queue.append(text("b-\(number)", events: "[{\"name\":\"a\"}]")) }
        let still = StillPace()
        let delivery = try delivery(server, still)
        var fates: [DeviceQueue.Fate] = []
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { fates.append($1) }
        #expect(queue.entries.isEmpty)
        #expect(try names() == ["lock"])
        #expect(still.waits == [7_000, 2_000])
        let attempts = fates.map { fate in
            if case .gone(let outcome) = fate { outcome.attempts } else { 0 }
        }
        // The kept connection was closed: libcurl sent the second attempt twice.
        #expect(attempts == [3, 1])
        let sent = server.requests.map { Self.opened($0) }
        #expect(sent.map(\.batchID) == ["b-0", "b-0", "b-0", "b-0", "b-1"])
        let stamps = [0, 7_000, 7_000, 9_000].map { 1_700_000_000_000 + Int64($0) }
        for (batch, stamp) in zip(sent, stamps) {
            #expect(
                batch.bytes == BatchText(text("b-0", events: "[{\"name\":\"a\"}]")).stamped(stamp))
        }
    }

    @Test("what waits holds back what is behind it, and what is refused for good does not")
    func holdsBack() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { _, before in
            before == 0
                ? TestServer.problem(422, "invalid-batch") : TestServer.problem(401, "unknown-key")
        }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        for number in 0..<3 { try queue.append(text("b-\(number)")) }
        let delivery = try delivery(server, StillPace())
        var steps: [RetryPolicy.Step] = []
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) {
            switch $1 {
            case .gone(let outcome), .stays(let outcome), .split(let outcome):
                steps.append(outcome.step)
            case .damaged: break
            }
        }
        #expect(steps == [.drop, .keep(milliseconds: 3_600_000)])
        #expect(queue.entries.count == 2)
        #expect(server.requests.count == 2)
    }

    @Test("no attempt begins after the deadline")
    func deadline() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { _, _ in TestServer.problem(500, "internal-error") }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        try queue.append(text("b"))
        let still = StillPace()
        let delivery = try delivery(server, still)
        try queue.drain(by: delivery, until: delivery.deadline(in: 7_000)) { _, _ in }
        #expect(still.waits == [1_000, 2_000, 4_000])
        #expect(server.requests.count == 4)
        #expect(queue.entries.count == 1)
    }

    @Test("a batch that is too large is sent in parts, before what is behind it")
    func splits() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { request, _ in
            let batch = Self.opened(request)
            // Two events are what this server takes.
            return (batch.halves() != nil && batch.bytes.count > 60)
                ? TestServer.problem(413, "too-many-events")
                : TestServer.stored(batch.batchID ?? "")
        }
        defer { server.stop() }
        do {
            let queue = try DeviceQueue(folder: folder)
            try queue.append(text("b", events: "[11111111,22222222,33333333,44444444]"))
            try queue.append(text("c", events: "[5]"))
            let delivery = try delivery(server, StillPace())
            try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { _, _ in }
            #expect(queue.entries.isEmpty)
        }
        #expect(
            server.requests.map { Self.opened($0).batchID } == [
                "b", "b.1", "b.1.1", "b.1.2", "b.2", "b.2.1", "b.2.2", "c",
            ])
    }

    @Test("one event that is too large alone is given up")
    func tooLarge() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { _, _ in TestServer.problem(413, "body-too-large") }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        try queue.append(text("b", events: "[1]"))
        let delivery = try delivery(server, StillPace())
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { _, _ in }
        #expect(queue.entries.isEmpty)
    }

    @Test("a body too large for a slow network is sent in parts after a pause")
    func shrinks() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { request, before in
            before == 0
                ? TestServer.problem(408, "request-timeout")
                : TestServer.stored(Self.opened(request).batchID ?? "")
        }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        let events = Array(repeating: "\"\(String(repeating: "e", count: 9_000))\"", count: 2)
        try queue.append(text("b", events: "[\(events.joined(separator: ","))]"))
        let still = StillPace()
        let delivery = try delivery(server, still)
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { _, _ in }
        #expect(queue.entries.isEmpty)
        #expect(still.waits == [1_000])
        #expect(server.requests.map { Self.opened($0).batchID } == ["b", "b.1", "b.2"])
    }

    @Test("nothing is posted when time is up, and a small body is tried again as it is")
    func smallBodies() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try TestServer { _, before in
            before == 0
                ? TestServer.problem(408, "request-timeout") : TestServer.stored("b")
        }
        defer { server.stop() }
        let queue = try DeviceQueue(folder: folder)
        try queue.append(text("b", events: "[1,2]"))
        let delivery = try delivery(server, StillPace())
        try queue.drain(by: delivery, until: delivery.deadline(in: -1)) { _, _ in }
        #expect(server.requests.isEmpty)
        try queue.drain(by: delivery, until: delivery.deadline(in: 60_000)) { _, _ in }
        #expect(server.requests.map { Self.opened($0).batchID } == ["b", "b"])
        #expect(queue.entries.isEmpty)
    }

    private static func opened(_ request: TestServer.Request) -> BatchText {
        var text: [UInt8] = []
        let count = try? Inflater().gunzip(request.body.span, limit: 1 << 20, into: &text)
        return BatchText(Array(text[..<(count ?? 0)]))
    }
}
