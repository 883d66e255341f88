import Database
import Storage

/// Whether the table `repeat_key` has each batch that it should have, once, and nothing else. Sums of
/// hashes are compared, since the two are not in the same order: memory does not grow. In one snapshot;
/// an erasure takes a batch and its key away together.
struct RepeatKeyCheck {
    /// How many keys, and the sum of their hashes.
    private struct Sum: Equatable {
        var count = 0
        var hashes: UInt64 = 0

        mutating func add(_ key: RepeatKey) {
            var stream = ChecksumStream()
            stream.add(
                UInt64(bitPattern: key.device), UInt64(bitPattern: key.digest),
                UInt64(bitPattern: key.batch), 0)
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
            let erasing = try UnfinishedErasures.devices(connection)
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
        let rows = try connection.prepare("SELECT device, batch_id, id FROM batch WHERE id <= ?")
        try rows.bind(1, reach)
        var sum = Sum()
        while try rows.step() {
            if erasing.contains(rows.int(0)) { continue }
            let made = digest.map { digest in rows.withText(1) { digest.make(of: $0) } }
            sum.add(RepeatKey(device: rows.int(0), digest: made ?? 0, batch: rows.int(2)))
        }
        return sum
    }

    /// Entries after the reach need not be there, but those that are must be right.
    private func keys(
        upTo reach: Int64, but erasing: Set<Int64>
    ) throws(StorageError) -> (sum: Sum, strays: Int) {
        let rows = try connection.prepare("SELECT device, digest, batch FROM repeat_key")
        let batch = try connection.prepare("SELECT batch_id FROM batch WHERE id = ? AND device = ?")
        var sum = Sum()
        var strays = 0
        while try rows.step() {
            let key = RepeatKey(
                device: rows.int(0), digest: digest == nil ? 0 : rows.int(1), batch: rows.int(2))
            if erasing.contains(key.device) { continue }
            if key.batch <= reach {
                sum.add(key)
                continue
            }
            try batch.bind(1, key.batch)
            try batch.bind(2, key.device)
            let isThere = try batch.step()
            let made = digest.map { digest in batch.withText(0) { digest.make(of: $0) } }
            batch.reset()
            if !isThere || made ?? 0 != key.digest { strays += 1 }
        }
        return (sum, strays)
    }
}
