import Client
import ClientTestSupport
import Compression
import Curl
import Foundation
import Synchronization
import TestSupport
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
        run.backoff.unit = 2
        run.backoff.cap = 20
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

    /// What devices post that meet no real trouble.
    private func expected() throws -> [String] {
        try Crowd(population()).arrivals.map { $0.batch.id }.sorted()
    }

    @Test("what really fails is tried again and is no part of any device's life")
    func posts() throws {
        let server = try TestServer { request, before in
            before % 50 == 7 ? TestServer.problem(503, "overloaded") : Self.stored(request)
        }
        defer { server.stop() }
        var run = try run(server)
        run.connections = 6
        let told = Mutex<[Simulation.Progress]>([])
        let end = try run.run { progress in told.withLock { $0.append(progress) } }.progress
        let requests = try server.requests.map(Self.batch)
        let batches = server.requests.indices.filter { $0 % 50 != 7 }.map { requests[$0] }
        #expect(batches.map(\.id).sorted() == (try expected()))
        #expect(end.answers == batches.count)
        #expect(end.events == batches.reduce(0) { $0 + $1.events.count })
        #expect(end.retries == requests.count - batches.count)
        #expect(end.retries > 0)
        #expect(end.share == 1)
        let seen = told.withLock { $0 }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.answers <= $1.answers })
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.share <= $1.share })
        #expect(Set(server.requests.map(\.connection)).count >= 6)
        var sequences: [String: Int64] = [:]
        for batch in batches {
            #expect(batch.sequence >= sequences[batch.device] ?? 0)
            sequences[batch.device] = batch.sequence
        }
    }

    @Test("so many events a second and no more")
    func rate() throws {
        let server = try TestServer { request, _ in Self.stored(request) }
        defer { server.stop() }
        var run = try run(server)
        let events = try Crowd(population()).arrivals.reduce(0) { $0 + $1.batch.events.count }
        run.rate = Double(events) / 2
        let begin = Pace.real.elapsed()
        let end = try run.run().progress
        #expect(end.events == events)
        // Half a second ahead at most, and the last batch.
        #expect((1_300...20_000).contains(Pace.real.elapsed() - begin))
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
        // The others end with what they have under way when they hear of it: on a slow machine later.
        #expect(try server.requests.count < expected().count)
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
        run.connections = 1
        run.patience = 200
        let told = Told()
        run.waiting = { told.add($0) }
        let failure = #expect(throws: SimulationFailure.self) { try run.run() }
        #expect(failure?.description.contains("502") == true)
        #expect((3...100).contains(server.requests.count))
        #expect(failure?.kind == .unavailable)
        // Of each attempt but the last, which ends it.
        #expect(told.texts.count == server.requests.count - 1)
        #expect(told.texts.allSatisfy { $0.contains("does not take a batch: status 502") })
    }
}
