import Curl
import Database
import Engine

/// Has the engine's disks forget rows that others have replaced: `OPTIMIZE TABLE batch FINAL` on each shard. A
/// server goes on with it after the request has ended, however long it takes; so it is waited for by looking
/// at the parts that there were. Their files go some minutes later.
struct EngineMerge {
    /// Milliseconds between two looks.
    private static let pause: UInt32 = 250
    /// Looks in which no server does anything before it is told again.
    private static let idleLooks = 20
    private static let tries = 3

    private let session: EngineSession
    private let polling: Polling

    init(_ session: EngineSession, _ polling: Polling) {
        (self.session, self.polling) = (session, polling)
    }

    /// Throws what a server says, and `exception` where it does not merge.
    func run() throws(EngineError) {
        let servers = try session.currentServers()
        for (shard, server) in servers.enumerated() { try merge(server, shard) }
    }

    private var isOurs: String {
        "database = \(EngineLiteral.text(session.servers.access.database)) AND table = 'batch'"
    }

    private func merge(_ server: ServerAddress, _ shard: Int) throws(EngineError) {
        let parts = try texts(
            "SELECT name FROM system.parts WHERE \(isOurs) AND active", server, shard)
        if parts.isEmpty { return }
        let names = parts.map { EngineLiteral.text($0) }.joined(separator: ", ")
        for _ in 0..<Self.tries {
            do throws(EngineError) {
                _ = try session.send(
                    .change("OPTIMIZE TABLE batch FINAL"), to: server, shard: shard)
            } catch {
                // After these it goes on.
                guard error.kind == .timeout || error.kind == .cut else { throw error }
            }
            var idle = 0
            let isDone = try polling.first(every: Self.pause) {
                () throws(EngineError) -> Bool? in
                let left = try number(
                    "SELECT count() FROM system.parts WHERE \(isOurs) AND active AND name IN (\(names))",
                    server, shard)
                if left == 0 { return true }
                // Those of what comes meanwhile take no time.
                let merges = try number(
                    "SELECT count() FROM system.merges WHERE \(isOurs) AND elapsed > 1", server,
                    shard)
                idle = merges == 0 ? idle + 1 : 0
                return idle > Self.idleLooks ? false : nil
            }
            if isDone { return }
        }
        throw EngineError(
            .exception,
            "engine \(server.origin) does not merge its table batch: reports are without what was "
                + "pruned, its disk is not; look whether it has room, and try again")
    }

    private func texts(
        _ statement: String, _ server: ServerAddress, _ shard: Int
    ) throws(EngineError) -> [String] {
        var reader = RowBinary.Reader(
            try session.send(.read(statement), to: server, shard: shard))
        var texts: [String] = []
        do throws(RowBinary.Failure) {
            while !reader.isAtEnd { texts.append(try reader.string()) }
        } catch {
            throw EngineError(error, from: server.origin)
        }
        return texts
    }

    private func number(
        _ statement: String, _ server: ServerAddress, _ shard: Int
    ) throws(EngineError) -> UInt64 {
        var reader = RowBinary.Reader(
            try session.send(.read(statement), to: server, shard: shard))
        do throws(RowBinary.Failure) { return try reader.uint64() } catch {
            throw EngineError(error, from: server.origin)
        }
    }
}
