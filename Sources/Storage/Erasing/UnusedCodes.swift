/// Names, attribute keys and resources that nobody uses: what an erasure or a prune leaves of their
/// dictionaries.
///
/// Nothing counts how often a code is used: that would cost every batch, and who deletes is rare. So
/// one pass looks for a use of each candidate, and ends with the last one found. What is in common
/// use is found in the first pages; only for a rare candidate is the whole table looked at, by a
/// connection that reads.
struct UnusedCodes: Sendable {
    /// Rows of `name` that no event has.
    private(set) var names: Set<Int64>
    /// Rows of `attribute_key` that no batch has.
    private(set) var attributeKeys: Set<Int64>
    /// Rows of `resource` that no batch has.
    private(set) var resources: Set<Int64>
    /// Event rows behind this one have not been looked at.
    private var lastEvent: Int64 = 0
    /// Batch rows behind this one have not been looked at, for attribute keys and for resources.
    private var lastKeyedBatch: Int64 = 0
    private var lastBatch: Int64 = 0

    var isEmpty: Bool { names.isEmpty && attributeKeys.isEmpty && resources.isEmpty }
    /// How many words: names and attribute keys.
    var words: Int64 { Int64(names.count + attributeKeys.count) }

    /// Candidates, of which nothing is known yet.
    init(names: Set<Int64>, attributeKeys: Set<Int64>, resources: Set<Int64>) {
        self.names = names
        self.attributeKeys = attributeKeys
        self.resources = resources
    }

    /// All codes there are: where it is not known any more what was deleted.
    static func all(_ connection: Connection) throws(StorageError) -> UnusedCodes {
        UnusedCodes(
            names: Set(try connection.integers("SELECT id FROM name")),
            attributeKeys: try allAttributeKeys(connection),
            resources: Set(try connection.integers("SELECT id FROM resource")))
    }

    /// All keys of attributes.
    static func allAttributeKeys(_ connection: Connection) throws(StorageError) -> Set<Int64> {
        Set(try connection.integers("SELECT id FROM attribute_key"))
    }

    /// What a device uses, and perhaps nobody else.
    static func candidates(
        of device: Int64, _ connection: Connection
    ) throws(StorageError) -> UnusedCodes {
        UnusedCodes(
            names: Set(
                try connection.integers(
                    """
                    SELECT DISTINCT e.name FROM device_batch AS k CROSS JOIN event AS e
                    WHERE k.device = ? AND e.id >= k.batch << 13 AND e.id < (k.batch + 1) << 13
                    """, device)),
            attributeKeys: Set(
                try connection.integers(
                    """
                    SELECT DISTINCT a.value FROM device_batch AS k CROSS JOIN batch AS b
                        CROSS JOIN json_each(b.attribute_keys) AS a
                    WHERE k.device = ? AND b.id = k.batch
                    """, device)),
            resources: Set(
                try connection.integers(
                    """
                    SELECT DISTINCT b.resource FROM device_batch AS k CROSS JOIN batch AS b
                    WHERE k.device = ? AND b.id = k.batch
                    """, device)))
    }

    /// Leaves out what is used by a row that was not looked at before. Run again in the transaction
    /// that deletes, it looks only at what was appended meanwhile.
    /// - Parameter shouldStop: asked now and then; what was not found used by then is left out too
    mutating func leaveOutUsed(
        _ connection: Connection, shouldStop: () -> Bool = { false }
    ) throws(StorageError) {
        try Self.pass(
            connection, "SELECT id, name FROM event WHERE id > ?", &names, &lastEvent, shouldStop)
        try Self.pass(
            connection,
            "SELECT b.id, k.value FROM batch AS b CROSS JOIN json_each(b.attribute_keys) AS k "
                + "WHERE b.id > ? ORDER BY b.id",
            &attributeKeys, &lastKeyedBatch, shouldStop)
        try Self.pass(
            connection, "SELECT id, resource FROM batch WHERE id > ?", &resources, &lastBatch,
            shouldStop)
    }

    /// Deletes them. The writer has to forget its codes.
    func delete(from connection: Connection) throws(StorageError) {
        for name in names { try connection.change("DELETE FROM name WHERE id = ?", name) }
        for key in attributeKeys {
            try connection.change("DELETE FROM attribute_key WHERE id = ?", key)
        }
        for row in resources { try connection.change("DELETE FROM resource WHERE id = ?", row) }
    }

    private static func pass(
        _ connection: Connection, _ sql: String, _ codes: inout Set<Int64>, _ last: inout Int64,
        _ shouldStop: () -> Bool
    ) throws(StorageError) {
        if codes.isEmpty { return }
        let rows = try connection.prepare(sql)
        try rows.bind(1, last)
        var count = 0
        while try rows.step() {
            last = rows.int(0)
            codes.remove(rows.int(1))
            count += 1
            if count % 4096 == 0, shouldStop() { codes = [] }
            if codes.isEmpty { return }
        }
    }
}
