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

    /// - Parameters:
    ///   - servers: whom it asks
    ///   - timeout: milliseconds from now
    ///   - isUnwanted: looked at every now and then
    package init(
        _ servers: EngineServers, timeout: Int64, isUnwanted: @escaping @Sendable () -> Bool
    ) throws(EngineError) {
        self.isUnwanted = isUnwanted
        let nanoseconds = UInt64(clamping: timeout).multipliedReportingOverflow(by: 1_000_000)
        let (end, isFar) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(
            nanoseconds.partialValue)
        let deadline = isFar || nanoseconds.overflow ? .max : end
        self.deadline = deadline
        session = try EngineSession(servers) { () throws(EngineError) in
            try Self.check(deadline, isUnwanted)
        }
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
        return try session.send(.read(statement), toShards: shards, &chosen) { left }
    }

    /// Which replica of each shard answers, as far as they were asked.
    private var chosen: [Int: ServerAddress] = [:]
    /// Not all of the answers are of the same replicas.
    package private(set) var hasMoved = false
}
