import Database
import Engine
import Sealing
import Storage
import Upkeep

/// Erasures that all nodes of an engine carry out: the engine has their receipts, as each node has
/// (docs/scale.md, Erasing, pruning, copies).
package struct SharedErasures {
    private let store: Store
    private let session: EngineSession
    private let node: String
    private let engine: EngineErasure

    private static let columns = ["digest", "erased_at", "node"]
    /// What nodes share is on the first shard.
    private static let shard = 0

    /// - Parameters:
    ///   - node: this node's name
    ///   - polling: how what servers do by themselves is waited for
    package init(
        _ store: Store, _ session: EngineSession, node: String, polling: Polling = .system
    ) {
        (self.store, self.session, self.node) = (store, session, node)
        engine = EngineErasure(session, polling)
    }

    /// Tells all nodes.
    package func announce(_ receipt: ErasureReceipt) throws(ForwardingError) {
        try insert([receipt], into: "erasure")
    }

    /// Deletes what the engine has of a device. What this node has is not touched.
    /// - Returns: why replicas have not done it yet: each does when it can
    @discardableResult
    package func delete(_ erasure: ReceiptedDevice) throws(ForwardingError) -> [EngineError] {
        try ForwardingError.asking { () throws(EngineError) in
            try engine.delete(
                erasure.device, of: erasure.app, before: erasure.moment, node: nil)
        }
    }

    /// Carries out what is announced and was not carried out here, and gives the engine receipts that it has
    /// not. Whatever ends it, the next time does the rest: what says that it is done is written last.
    /// - Parameter handAgain: from now on what was handed over after a moment counts as not handed over;
    ///   milliseconds since 1970. With counts of arrivals that were deleted may have gone what has come since
    package func catchUp(
        handAgain: (Int64) throws(ForwardingError) -> Void
    ) throws(ForwardingError) {
        let announced = try receipts("SELECT digest, erased_at FROM erasure FINAL")
        let isAnnounced = Set(announced)
        let done = Set(
            try receipts(
                """
                SELECT digest, erased_at FROM erasure_done FINAL
                WHERE node = \(EngineLiteral.text(node))
                """))
        let own = try ForwardingError.storing { () throws(StorageError) in try store.receipts() }
        // The engine was put back from a copy, or is new: it may have what was erased.
        let unknown = own.filter { !isAnnounced.contains($0) }
        let debt = try ForwardingError.storing { () throws(StorageError) in
            try OwedErasures(store.reader())
        }
        var again = unknown
        if let debt {
            let begin = debt.begin.addingSaturated(-NodeClocks.reach)
            again += try ForwardingError.asking { () throws(EngineError) in
                try engine.present(of: announced.filter { $0.moment >= begin })
            }
        }
        if !again.isEmpty {
            try ForwardingError.asking { () throws(EngineError) in
                try engine.delete(again, node: nil)
            }
            try insert(unknown, into: "erasure")
        }
        // One that was put back from a copy may have again what it had erased.
        let kept = Set(own)
        let new = announced.filter { !done.contains($0) || !kept.contains($0) }
        // It was carried out here, and perhaps nothing of it in the engine.
        let owed = new.filter { kept.contains($0) }
        let erased = try ForwardingError.storing { () throws(StorageError) in
            try store.carryOut(new)
        }
        for device in erased {
            // What was handed over while it was announced.
            _ = try ForwardingError.asking { () throws(EngineError) in
                try engine.delete(
                    device.device, of: device.app, before: device.moment, node: node)
            }
        }
        if !owed.isEmpty {
            try ForwardingError.asking { () throws(EngineError) in
                try engine.delete(owed, node: node)
            }
        }
        if let first = (new + again).map(\.moment).min() { try handAgain(first) }
        try insert(
            (new + unknown).filter { !done.contains($0) }, into: "erasure_done")
        if let debt {
            try ForwardingError.storing { () throws(StorageError) in try debt.pay(store) }
        }
    }

    /// Where nobody hands over.
    package func catchUp() throws(ForwardingError) {
        try catchUp { (moment) throws(ForwardingError) in
            _ = try ForwardingError.storing { () throws(StorageError) in
                try HandOverMarks.takeBack(after: moment, store)
            }
        }
    }

    /// Receipts of erasures that began at a moment or later: milliseconds since 1970.
    func announced(from moment: Int64) throws(ForwardingError) -> [ErasureReceipt] {
        try receipts("SELECT digest, erased_at FROM erasure FINAL WHERE erased_at >= \(moment)")
    }

    /// The nodes that have carried out an erasure.
    package func done(_ receipt: ErasureReceipt) throws(ForwardingError) -> Set<String> {
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(
                .read(
                    """
                    SELECT DISTINCT node FROM erasure_done
                    WHERE digest = toFixedString(\(EngineLiteral.text(receipt.subject.bytes)), 32)
                        AND erased_at = \(receipt.moment)
                    """), toShard: Self.shard)
        }
        return try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var nodes: Set<String> = []
            while !reader.isAtEnd { nodes.insert(try reader.string()) }
            return nodes
        }
    }

    private func insert(
        _ receipts: [ErasureReceipt], into table: String
    ) throws(ForwardingError) {
        if receipts.isEmpty { return }
        var rows = RowBinary.Writer()
        for receipt in receipts {
            rows.raw(receipt.subject.bytes)
            rows.int64(receipt.moment)
            rows.string(node)
        }
        try ForwardingError.asking { () throws(EngineError) in
            _ = try session.send(
                .insert(rows.bytes, into: table, Self.columns), toShard: Self.shard)
        }
    }

    private func receipts(_ statement: String) throws(ForwardingError) -> [ErasureReceipt] {
        let answer = try ForwardingError.asking { () throws(EngineError) in
            try session.send(.read(statement), toShard: Self.shard)
        }
        return try ForwardingError.reading(answer) { (reader) throws(RowBinary.Failure) in
            var receipts: [ErasureReceipt] = []
            while !reader.isAtEnd {
                let bytes = try reader.fixed(32)
                let moment = try reader.int64()
                // The table may have anything in it.
                if (0...RowVersion.lastMoment).contains(moment),
                    let digest = Digest256(bytes: bytes.span)
                {
                    receipts.append(ErasureReceipt(subject: digest, moment: moment))
                }
            }
            return receipts
        }
    }
}
