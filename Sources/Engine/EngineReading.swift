import Curl
import Dispatch

/// A reader for one report: it ends when its time is over, or when nobody wants its answer. Used by one
/// thread at a time.
package final class EngineReading: EngineReader, @unchecked Sendable {
    /// Which has the connections.
    package let session: EngineSession
    /// When its time is over, by `uptimeNanoseconds`.
    private let deadline: UInt64
    private let isUnwanted: @Sendable () -> Bool
    /// By which the engine knows its statements.
    private let name = "sojourn-" + String(UInt64.random(in: 0 ... .max), radix: 16)
    private var statements = 0

    /// - Parameters:
    ///   - servers: whom it asks
    ///   - timeout: milliseconds from now
    ///   - isUnwanted: looked at every now and then
    ///   - received: told every now and then how many bytes of answers have come that nobody has got yet
    package init(
        _ servers: EngineServers, timeout: Int64, isUnwanted: @escaping @Sendable () -> Bool,
        received: @escaping (Int) -> Void = { _ in }
    ) throws(EngineError) {
        self.isUnwanted = isUnwanted
        let nanoseconds = UInt64(clamping: timeout).multipliedReportingOverflow(by: 1_000_000)
        let (end, isFar) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(
            nanoseconds.partialValue)
        let deadline = isFar || nanoseconds.overflow ? .max : end
        self.deadline = deadline
        session = try EngineSession(
            servers,
            check: { () throws(EngineError) in try Self.check(deadline, isUnwanted) },
            received: received)
    }

    package var shards: Int { session.servers.access.shards.count }

    package func check() throws(EngineError) { try Self.check(deadline, isUnwanted) }

    private static func check(
        _ deadline: UInt64, _ isUnwanted: () -> Bool
    ) throws(EngineError) {
        if isUnwanted() || DispatchTime.now().uptimeNanoseconds >= deadline {
            throw EngineError(.interrupted, "the answer is not wanted any more")
        }
    }

    /// Milliseconds that are left, at least 1.
    private var left: Int {
        let now = DispatchTime.now().uptimeNanoseconds
        return now < deadline ? Int(clamping: (deadline - now) / 1_000_000) + 1 : 1
    }

    package func read(_ statement: String) throws(EngineError) -> [[UInt8]] {
        try read(statement, shards: Array(session.servers.access.shards.indices))
    }

    package func read(_ statement: String, shard: Int) throws(EngineError) -> [UInt8] {
        try read(statement, shards: [shard])[0]
    }

    /// One replica of each shard answers all of a report, unless it fails.
    private func read(
        _ statement: String, shards: [Int]
    ) throws(EngineError) -> [[UInt8]] {
        let before = chosen
        defer { hasMoved = hasMoved || before.contains { chosen[$0.key] != $0.value } }
        statements += 1
        var request = EngineRequest.read(statement)
        let name = "\(name)-\(statements)"
        request.name = name
        do throws(EngineError) {
            return try session.send(request, toShards: shards, &chosen) { left }
        } catch {
            if error.kind == .interrupted { end(name, shards) }
            throw error
        }
    }

    /// Has the engine end a statement that nobody waits for: by itself it goes on to its end, or to that of its
    /// time.
    private func end(_ name: String, _ shards: [Int]) {
        let orders = shards.compactMap { shard in
            chosen[shard].map {
                EngineSession.Order(
                    .change("KILL QUERY WHERE query_id = \(EngineLiteral.text(name)) ASYNC"),
                    to: $0, shard: shard)
            }
        }
        // What does not get there in time changes nothing.
        _ = try? EngineSession(session.servers).performBriefly(orders, within: Self.endTimeout)
    }

    /// Milliseconds.
    private static let endTimeout = 1_000

    /// Which replica of each shard answers, as far as they were asked.
    private var chosen: [Int: ServerAddress] = [:]

    /// One start of a server: what it had in memory before is gone, and what it did not sync may be.
    package struct Start: Sendable, Equatable {
        let server: ServerAddress
        /// By the server's clock, seconds since 1970.
        package let moment: Int64

        /// Both of them are told in whole seconds, one after the other.
        package func isSame(as other: Start) -> Bool {
            server == other.server
                && moment.subtractingReportingOverflow(other.moment).0.magnitude <= 2
        }
    }

    /// When the replica of each shard that answers was started.
    package func starts() throws(EngineError) -> [Start] {
        var starts: [Start] = []
        let answers = try read("SELECT toInt64(toUnixTimestamp(now())) - toInt64(uptime())")
        for (shard, answer) in answers.enumerated() {
            var reader = RowBinary.Reader(answer)
            guard let server = chosen[shard], let moment = try? reader.int64(),
                (0...1 << 40).contains(moment)
            else {
                throw EngineError(.cut, "shard \(shard + 1) does not say since when it runs")
            }
            starts.append(Start(server: server, moment: moment))
        }
        return starts
    }

    /// Has the same replicas answer that have answered before, as long as they do.
    package func prefer(_ starts: [Start]) {
        for (shard, start) in starts.enumerated() { chosen[shard] = start.server }
    }

    /// Not all of the answers are of the same replicas.
    package private(set) var hasMoved = false
}
