import Database
import Events
import Storage

/// Whether the table `repeat_key` has each batch that it should have, once, and nothing else. Sums of
/// hashes are compared, since the two are not in the same order: memory does not grow. In one snapshot;
/// an erasure takes a batch and its key away together.
struct RepeatKeyCheck {
    /// From when to when a batch's events were as it was stored; nil where its records are not known one by one.
    private struct Times: Equatable {
        var first: Int64?
        var last: Int64?

        /// Those of which a prune has deleted some: the rest does not tell them.
        static let pruned = Times(first: 1, last: 0)
    }

    /// How many keys, and the sum of their hashes.
    private struct Sum: Equatable {
        var count = 0
        var hashes: UInt64 = 0

        mutating func add(_ key: RepeatKey, _ times: Times) {
            var stream = ChecksumStream()
            stream.add(
                UInt64(bitPattern: key.device), UInt64(bitPattern: key.digest),
                UInt64(bitPattern: key.batch), times.first == nil ? 0 : 1)
            stream.add(
                UInt64(bitPattern: times.first ?? 0), times.last == nil ? 0 : 1,
                UInt64(bitPattern: times.last ?? 0), 0)
            count += 1
            hashes &+= stream.value
        }
    }

    private let connection: Connection
    private let digest: RepeatDigest?

    /// - Parameter digest: nil where the master key is not at hand: then any digest will do
    init(_ connection: Connection, _ digest: RepeatDigest?) {
        self.connection = connection
        self.digest = digest
    }

    func run(_ findings: inout Findings) throws(StorageError) {
        try connection.snapshot { () throws(StorageError) in
            let reach = try connection.fact(RepeatKey.reach) ?? 0
            let erasing = try UnfinishedErasures.devicesInPart(connection)
            let wanted = try batches(upTo: reach, but: erasing)
            let (found, strays) = try keys(upTo: reach, but: erasing)
            if found.count != wanted.count {
                findings.add(
                    Finding(
                        "table repeat_key",
                        "has \(found.count) keys up to batch \(reach), of \(wanted.count) batches"))
            } else if found != wanted {
                findings.add(
                    Finding("table repeat_key", "is not what its \(wanted.count) batches make it"))
            }
            if strays > 0 {
                findings.add(
                    Finding(
                        "table repeat_key",
                        "has \(strays) keys behind batch \(reach) that fit no batch"))
            }
        }
    }

    private func batches(
        upTo reach: Int64, but erasing: Set<Int64>
    ) throws(StorageError) -> Sum {
        let rows = try connection.prepare(
            """
            SELECT device, batch_id, id, \(Self.times) FROM batch WHERE id <= ?
            """)
        try rows.bind(1, reach)
        var sum = Sum()
        while try rows.step() {
            if erasing.contains(rows.int(0)) { continue }
            let made = digest.map { digest in rows.withText(1) { digest.make(of: $0) } }
            sum.add(
                RepeatKey(device: rows.int(0), digest: made ?? 0, batch: rows.int(2)),
                Self.times(of: rows, from: 3))
        }
        return sum
    }

    /// What a batch says of its times, as SQL.
    private static let times = """
        profile = \(Profile.otlp.rawValue) AND accepted > 0, pruned > 0, first_time, last_time
        """

    private static func times(of row: borrowing Statement, from column: Int32) -> Times {
        // Of one that was pruned whole nothing can come again: whether its key has times does not matter.
        if row.int(column) == 0 || row.isNull(column + 2) { return Times() }
        if row.int(column + 1) == 1 { return .pruned }
        return Times(first: row.optionalInt(column + 2), last: row.optionalInt(column + 3))
    }

    /// Entries after the reach need not be there, but those that are must be right.
    private func keys(
        upTo reach: Int64, but erasing: Set<Int64>
    ) throws(StorageError) -> (sum: Sum, strays: Int) {
        let rows = try connection.prepare(
            "SELECT device, digest, batch, first_time, last_time FROM repeat_key")
        let batch = try connection.prepare(
            "SELECT batch_id, \(Self.times) FROM batch WHERE id = ? AND device = ?")
        var sum = Sum()
        var strays = 0
        while try rows.step() {
            let key = RepeatKey(
                device: rows.int(0), digest: digest == nil ? 0 : rows.int(1), batch: rows.int(2))
            if erasing.contains(key.device) { continue }
            let times = Times(first: rows.optionalInt(3), last: rows.optionalInt(4))
            if key.batch <= reach, times == Times() {
                sum.add(key, times)
                continue
            }
            try batch.bind(1, key.batch)
            try batch.bind(2, key.device)
            let isThere = try batch.step()
            var wanted = isThere ? Self.times(of: batch, from: 1) : Times()
            // Those that were stored reach beyond what is left.
            if wanted == .pruned, let first = times.first, let last = times.last,
                first <= batch.optionalInt(3) ?? first, last >= batch.optionalInt(4) ?? last
            {
                wanted = times
            }
            let made = digest.map { digest in batch.withText(0) { digest.make(of: $0) } }
            let isPruned = isThere && batch.int(2) == 1
            let isEmptied = isThere && batch.isNull(3)
            if isPruned, isEmptied { wanted = times }
            batch.reset()
            if key.batch <= reach {
                let isGone = isPruned && isEmptied
                sum.add(key, isGone ? Times() : isPruned && wanted == times ? .pruned : times)
            } else if !isThere || made ?? 0 != key.digest || wanted != times {
                strays += 1
            }
        }
        return (sum, strays)
    }
}
