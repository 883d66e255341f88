import Curl
import Database
import Engine

/// Looks whether each server is the one that it was, and lets it say that this node has seen to it once it has what
/// it may have lost (docs/scale.md, Hand-over). Used by the forwarder's thread alone.
final class ServerWatch {
    /// What a server may lack of what was handed over.
    enum Loss {
        /// Nothing was.
        case nothing
        /// What was after a moment, milliseconds since 1970.
        case since(Int64)
        /// It is a new one, which has nothing.
        case everything
    }

    /// Milliseconds in which a replica says that it is well.
    private static let patience = 2_000

    private let session: EngineSession
    private let calls: ObservedSession
    private let options: ForwarderOptions
    /// What the node's database is in tables `alive` as.
    private let mark: String
    private let connection: Connection
    private var watch = AliveWatch()

    /// - Parameter connection: that reads the node's database
    init(
        _ session: EngineSession, _ calls: ObservedSession, _ options: ForwarderOptions,
        mark: String, _ connection: Connection
    ) {
        (self.session, self.calls, self.options) = (session, calls, options)
        (self.mark, self.connection) = (mark, connection)
    }

    /// - Parameters:
    ///   - servers: one of each shard
    ///   - spool: how far is handed over
    ///   - settle: has a server get what it may have lost. Where it throws, the next look finds the same
    func look(
        at servers: [ServerAddress], _ spool: SpoolMark,
        _ settle: (Loss, ServerAddress) throws(ForwardingError) -> Void
    ) throws(ForwardingError) {
        let looks = servers.enumerated().map { shard, server in
            EngineSession.Order(AliveTable.count(of: mark), to: server, shard: shard)
        }
        for (order, answer) in zip(looks, try calls.perform(looks)) {
            let count = try ForwardingError.reading(answer) {
                (reader) throws(RowBinary.Failure) in try reader.uint64()
            }
            if let loss = try loss(of: order, isThere: count > 0, spool) {
                try settle(loss, order.server)
            }
            if count == 0 {
                _ = try calls.perform([
                    EngineSession.Order(
                        AliveTable.insert(options.node, mark: mark), to: order.server,
                        shard: order.shard)
                ])
            }
            watch.saw(order.server.origin, shard: order.shard, now: options.now())
        }
    }

    private func loss(
        of order: EngineSession.Order, isThere: Bool, _ spool: SpoolMark
    ) throws(ForwardingError) -> Loss? {
        let verdict = watch.verdict(
            on: order.server.origin, shard: order.shard, isInPlace: isInPlace(order),
            isThere: isThere, lastHandOver: spool.moment)
        switch verdict {
        case .same: return nil
        case .fresh: return .nothing
        case .again(let moment):
            // A replica may lack what others have, for a while.
            guard session.servers.access.shards[order.shard].count == 1 else {
                return .since(moment)
            }
            let isEmptied = try EngineVerification(connection, session).isEmptied(
                order.shard, upTo: spool.batch)
            return isEmptied ? .everything : .since(moment)
        }
    }

    /// Whether a server has come in another's place, and that one may not have passed on what it was given. One
    /// that answers and was not started passes it on.
    private func isInPlace(_ order: EngineSession.Order) -> Bool {
        let replicas = session.servers.access.shards[order.shard]
        let last = watch.last[order.shard]
        if replicas.count == 1 || last == order.server.origin { return false }
        let others = replicas.filter { last == nil || last == $0.origin }
        let looks = others.map {
            EngineSession.Order(AliveTable.count(of: mark), to: $0, shard: order.shard)
        }
        return session.performBriefly(looks, within: Self.patience).contains { answer in
            var reader = RowBinary.Reader(answer ?? [])
            return (try? reader.uint64()) ?? 0 == 0
        }
    }
}
