import Client
import ClientTestSupport
import Compression
import Foundation
import Synchronization
import Testing

@testable import Simulation

@Suite("posting a population")
struct SimulationRunTests {
    private func population() throws -> Population {
        let now = Pace.real.now()
        return try Population(
            devices: 20, period: SimulationPeriod(days: 4, until: nil, now: now), seed: 3)
    }

    private func run(_ server: TestServer) throws -> SimulationRun {
        var run = SimulationRun(
            try population(), to: try ServerAddress(server.url),
            sealedBy: try Sealer(.plain, app: "demo", token: "sj_1"))
        run.pace = StillPace().pace
        return run
    }

    private static func batch(_ request: TestServer.Request) throws -> BatchChecker.Batch {
        var text: [UInt8] = []
        let count = try Inflater().gunzip(request.body.span, limit: 1 << 20, into: &text)
        return try BatchChecker.check(Array(text[..<count]))
    }

    private static func stored(_ request: TestServer.Request) -> TestServer.Reply {
        guard let batch = try? batch(request) else { return .close }
        return TestServer.stored(batch.id, accepted: batch.events.count)
    }

    @Test("every batch is posted once, each device's in order, over as many connections as lanes")
    func posts() throws {
        let server = try TestServer { request, before in
            before % 50 == 7 ? TestServer.problem(503, "overloaded") : Self.stored(request)
        }
        defer { server.stop() }
        let run = try run(server)
        let told = Mutex<[SimulationRun.Progress]>([])
        let end = try run.run { progress in told.withLock { $0.append(progress) } }
        let expected = Array(try population().batches())
        #expect(end.posted == expected.count)
        #expect(end.total == expected.count)
        #expect(end.events == expected.reduce(0) { $0 + $1.eventCount })
        #expect(end.retries == server.requests.count - expected.count)
        #expect(end.retries > 0)
        #expect(told.withLock { $0.map(\.posted) } == Array(1...expected.count))
        #expect(Set(server.requests.map(\.connection)).count == 4)
        var sequences: [String: Int64] = [:]
        for request in server.requests {
            let batch = try Self.batch(request)
            #expect(batch.sequence >= sequences[batch.device] ?? 0)
            sequences[batch.device] = batch.sequence
        }
    }

    @Test("a refusal ends the run and is told")
    func refused() throws {
        let server = try TestServer { request, before in
            before == 30 ? TestServer.problem(401, "unknown-key") : Self.stored(request)
        }
        defer { server.stop() }
        let run = try run(server)
        let failure = #expect(throws: SimulationFailure.self) { try run.run() }
        #expect(failure?.description.contains("401 unknown-key") == true)
        #expect(failure?.kind == .refused)
        // Each lane ends with the batch it has under way when it hears of it: on a slow machine later.
        #expect(server.requests.count < Array(try population().batches()).count)
    }

    private final class Told: Sendable {
        private let list = Mutex<[String]>([])
        func add(_ text: String) { list.withLock { $0.append(text) } }
        var texts: [String] { list.withLock { $0 } }
    }

    @Test("a server that never answers well is given up after the patience")
    func patience() throws {
        let server = try TestServer { _, _ in TestServer.answer("502 Bad Gateway") }
        defer { server.stop() }
        var run = try run(server)
        run.threads = 1
        run.patience = 10_000
        let told = Told()
        run.waiting = { told.add($0) }
        let failure = #expect(throws: SimulationFailure.self) { try run.run() }
        #expect(failure?.description.contains("502") == true)
        #expect((3...20).contains(server.requests.count))
        #expect(failure?.kind == .unavailable)
        // Of each attempt but the last, which ends it.
        #expect(told.texts.count == server.requests.count - 1)
        #expect(told.texts.allSatisfy { $0.contains("does not take a batch: status 502") })
    }
}
