import Database

/// Rows of `name` and `attribute_key` that are made before the batch that brings them is stored.
///
/// `meta` has the row from which on some may belong to nobody: set with the first of them, removed with
/// the last batch that has some. A process that ends in between leaves it, and the next start deletes
/// what no app has. So does one in which a batch was not stored after all.
struct WordDrafts {
    private static let firsts: [(kind: WordKind, fact: String)] = [
        (.name, "drafts_from_name"), (.attributeKey, "drafts_from_attribute_key"),
    ]
    /// The batch before which none has drafted words.
    private static let firstBatch = "drafts_from_batch"

    private enum State {
        /// The mark in `meta` has to be read.
        case unknown
        case none
        /// So many batches have drafts.
        case some(Int)
        /// Some belong to nobody, until the next start.
        case lost
    }

    private var state = State.unknown

    /// A batch gets rows; in the transaction that makes the first of them.
    /// - Parameter next: the number of the next batch
    mutating func begin(_ connection: Connection, next: Int64) throws(StorageError) {
        switch state {
        case .some(let batches): state = .some(batches + 1)
        case .none, .lost, .unknown:
            // Rows that were deleted may have made room for new ones below the mark.
            let old = try Self.marks(connection)
            for (kind, fact) in Self.firsts {
                let end = try connection.integer("SELECT max(id) FROM \(kind.table)") ?? 0
                try connection.setFact(fact, min(old?[kind] ?? .max, end + 1))
            }
            if old == nil { try connection.setFact(Self.firstBatch, next) }
            if case .none = state {
                state = .some(1)
            } else {
                state = old == nil ? .some(1) : .lost
            }
        }
    }

    /// A batch is stored; in its transaction.
    mutating func end(_ connection: Connection) throws(StorageError) {
        guard case .some(let batches) = state else { return }
        state = batches > 1 ? .some(batches - 1) : .none
        guard batches == 1 else { return }
        for (_, fact) in Self.firsts { try connection.setFact(fact, 0) }
    }

    /// After a rollback, or when rows may have been deleted.
    mutating func forget() { state = .unknown }

    /// Deletes what no app has, at the start. In a transaction.
    static func deleteUnused(_ connection: Connection) throws(StorageError) {
        guard let marks = try marks(connection) else { return }
        // Batches of which some events were pruned list keys that their app has not any more.
        let listed = """
            SELECT k.value FROM batch AS b CROSS JOIN json_each(
                iif(json_valid(b.attribute_keys), b.attribute_keys, '[]')) AS k
            WHERE b.id >= \(try connection.fact(firstBatch) ?? 0) AND b.pruned > 0
            """
        for (kind, fact) in firsts {
            try connection.change(
                """
                DELETE FROM \(kind.table) WHERE id >= ?1
                AND id NOT IN (SELECT \(kind.table) FROM \(kind.useTable))
                \(kind == .attributeKey ? "AND id NOT IN (\(listed))" : "")
                """, marks[kind] ?? .max)
            try connection.setFact(fact, 0)
        }
    }

    /// From which rows on; nil: there are no drafts.
    private static func marks(
        _ connection: Connection
    ) throws(StorageError) -> [WordKind: Int64]? {
        var marks: [WordKind: Int64] = [:]
        for (kind, fact) in firsts {
            if let row = try connection.fact(fact), row > 0 { marks[kind] = row }
        }
        return marks.isEmpty ? nil : marks
    }
}
