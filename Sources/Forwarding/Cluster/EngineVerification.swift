import Database
import Engine
import Storage
import Upkeep

/// Whether the engine has every batch that the spool holds as handed over: `sojourn verify --engine`.
package struct EngineVerification {
    /// What was found.
    package struct Outcome: Sendable, Equatable {
        /// Batches that were looked for.
        package var batches: Int64 = 0
        /// Those that the engine has not.
        package var missing: Int64 = 0
        /// Those of the spool that are not handed over yet, and were not looked for.
        package var waiting: Int64 = 0
    }

    /// Batches that are looked for with one question to a shard.
    private static let atOnce = 500

    private let connection: Connection
    private let session: EngineSession

    /// - Parameter connection: that nobody else uses
    package init(_ connection: Connection, _ session: EngineSession) {
        (self.connection, self.session) = (connection, session)
    }

    private struct Key {
        var device: DeviceKey
        var batchID: [UInt8]
    }

    /// - Parameter progress: told how many batches have been looked for, and of how many
    package func run(
        progress: (_ done: Int64, _ total: Int64) -> Void
    ) throws(ForwardingError) -> Outcome {
        var outcome = Outcome()
        let mark = try ForwardingError.storing { () throws(StorageError) in
            try HandOverMarks.last(connection)
        }
        let total = try ForwardingError.storing { () throws(StorageError) in
            try connection.integers("SELECT count(*) FROM batch WHERE id <= ?1", mark).first ?? 0
        }
        outcome.waiting = try ForwardingError.storing { () throws(StorageError) in
            try connection.integers("SELECT count(*) FROM batch WHERE id > ?1", mark).first ?? 0
        }
        // Also where there is nothing to look for.
        _ = try ForwardingError.asking { () throws(EngineError) in try session.currentServers() }
        let apps = try ForwardingError.storing { () throws(StorageError) in try self.apps() }
        for app in apps {
            var after: Int64 = 0
            while true {
                let next = try ForwardingError.storing { () throws(StorageError) in
                    try keys(ofApp: app.id, after: after, upTo: mark)
                }
                guard let last = next.last else { break }
                after = last
                outcome.batches += Int64(next.keys.count)
                outcome.missing += try missing(of: next.keys, app: app.name)
                progress(outcome.batches, total)
            }
        }
        return outcome
    }

    /// The oldest batches that are looked for where a shard may be another one.
    private static let sample = 100

    /// Whether a shard lacks most of the oldest batches that the spool holds as handed over to it: it is a
    /// new one, and not the one that had them. Some it may have of another node.
    /// - Parameter mark: the row of the last batch that is handed over
    func isEmptied(_ shard: Int, upTo mark: Int64) throws(ForwardingError) -> Bool {
        let oldest = try ForwardingError.storing { () throws(StorageError) in
            try oldestKeys(upTo: mark)
        }
        var (sampled, missing) = (0, 0)
        for (app, keys) in oldest {
            let own = keys.filter {
                $0.device.shard(of: session.servers.access.shards.count) == shard
            }
            if own.isEmpty { continue }
            sampled += own.count
            missing += Int(clamping: try self.missing(of: own, app: app))
        }
        return missing > sampled / 2
    }

    /// By app.
    private func oldestKeys(upTo mark: Int64) throws(StorageError) -> [String: [Key]] {
        let rows = try connection.prepare(
            """
            SELECT a.name, d.hash, b.batch_id FROM batch AS b JOIN app AS a ON a.id = b.app
                JOIN device AS d ON d.id = b.device
            WHERE b.id <= ?1 AND NOT \(DeviceSplit.isErasing)
            ORDER BY b.id LIMIT \(Self.sample)
            """)
        try rows.bind(1, mark)
        var keys: [String: [Key]] = [:]
        while try rows.step() {
            guard let device = rows.withBlob(1, { DeviceKey($0) }) else { continue }
            keys[rows.text(0), default: []].append(Key(device: device, batchID: rows.blob(2)))
        }
        return keys
    }

    private func apps() throws(StorageError) -> [(id: Int64, name: String)] {
        let rows = try connection.prepare("SELECT id, name FROM app ORDER BY id")
        var apps: [(id: Int64, name: String)] = []
        while try rows.step() { apps.append((rows.int(0), rows.text(1))) }
        return apps
    }

    /// - Returns: the keys of the next batches, and the row of the last that was looked at; nil: there is none
    private func keys(
        ofApp app: Int64, after batch: Int64, upTo mark: Int64
    ) throws(StorageError) -> (keys: [Key], last: Int64?) {
        let rows = try connection.prepare(
            """
            SELECT b.id, d.hash, b.batch_id, \(DeviceSplit.isErasing)
            FROM batch AS b INDEXED BY batch_by_app JOIN device AS d ON d.id = b.device
            WHERE b.app = ?1 AND b.id > ?2 AND b.id <= ?3 ORDER BY b.id LIMIT ?4
            """)
        try rows.bind(1, app)
        try rows.bind(2, batch)
        try rows.bind(3, mark)
        try rows.bind(4, Int64(Self.atOnce))
        var keys: [Key] = []
        var last: Int64?
        while try rows.step() {
            last = rows.int(0)
            if rows.int(3) != 0 { continue }
            guard let device = rows.withBlob(1, { DeviceKey($0) }) else {
                throw .damaged(path: connection.path, found: "a device has a hash that is none")
            }
            keys.append(Key(device: device, batchID: rows.blob(2)))
        }
        return (keys, last)
    }

    private func missing(of keys: [Key], app: String) throws(ForwardingError) -> Int64 {
        let shards = session.servers.access.shards.count
        var missing: Int64 = 0
        for (shard, keys) in Dictionary(grouping: keys, by: { $0.device.shard(of: shards) }) {
            let list = keys.map { key in
                "(toFixedString(\(EngineLiteral.text(key.device.bytes)), 16), "
                    + "\(EngineLiteral.text(key.batchID)))"
            }.joined(separator: ", ")
            let answer = try ForwardingError.asking { () throws(EngineError) in
                try session.send(
                    .read(
                        """
                        SELECT count() FROM batch FINAL
                        WHERE app = \(EngineLiteral.text(app)) AND (device, batch_id) IN (\(list))
                        """), toShard: shard)
            }
            let found = try ForwardingError.reading(answer) {
                (reader) throws(RowBinary.Failure) in try reader.uint64()
            }
            missing += Int64(keys.count - min(keys.count, Int(clamping: found)))
        }
        return missing
    }
}
