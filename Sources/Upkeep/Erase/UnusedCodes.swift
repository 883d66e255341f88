import Database
import Events
import Storage

/// Names, attribute keys and resources that nobody uses: what an erasure or a prune leaves of their
/// dictionaries, and of what each app has.
///
/// Nothing counts how often a code is used: that would cost every batch, and deletions are rare. So
/// one pass looks for a use of each candidate, and ends with the last one found. What is in common
/// use is found in the first pages; only for a rare candidate is the whole table looked at, by a
/// connection that reads.
struct UnusedCodes: Sendable {
    /// Names that no event of their app has.
    private(set) var names: Set<AppWord>
    /// Attribute keys that no event of their app has.
    private(set) var attributeKeys: Set<AppWord>
    /// Rows of `attribute_key` that no batch lists: one of which some events were pruned may list keys
    /// that only these had.
    private(set) var keyRows: Set<Int64>
    /// Rows of `resource` that no batch has.
    private(set) var resources: Set<Int64>
    /// Event rows after this one have not been looked at.
    private var lastEvent: Int64 = 0
    /// Batch rows after this one have not been looked at, for attribute keys and for resources.
    private var lastKeyedBatch: Int64 = 0
    private var lastBatch: Int64 = 0

    var isEmpty: Bool {
        names.isEmpty && attributeKeys.isEmpty && keyRows.isEmpty && resources.isEmpty
    }

    /// Candidates, of which nothing is known yet.
    init(
        names: Set<AppWord>, attributeKeys: Set<AppWord>, keyRows: Set<Int64>,
        resources: Set<Int64>
    ) {
        self.names = names
        self.attributeKeys = attributeKeys
        self.keyRows = keyRows
        self.resources = resources
    }

    /// All codes there are: where it is not known any more what was deleted.
    static func all(_ connection: Connection) throws(StorageError) -> UnusedCodes {
        UnusedCodes(
            names: try all(.name, connection),
            attributeKeys: try all(.attributeKey, connection),
            keyRows: try allKeyRows(connection),
            resources: Set(try connection.integers("SELECT id FROM resource")))
    }

    /// All names or attribute keys of all apps.
    static func all(
        _ kind: WordKind, _ connection: Connection
    ) throws(StorageError) -> Set<AppWord> {
        let rows = try connection.prepare("SELECT app, \(kind.table) FROM \(kind.useTable)")
        var words: Set<AppWord> = []
        while try rows.step() { words.insert(AppWord(app: rows.int(0), word: rows.int(1))) }
        return words
    }

    /// All rows of `attribute_key`.
    static func allKeyRows(_ connection: Connection) throws(StorageError) -> Set<Int64> {
        Set(try connection.integers("SELECT id FROM attribute_key"))
    }

    /// What a device uses, and perhaps nobody else; and what the one uses of which it still gets batches.
    static func candidates(
        of device: Int64, _ connection: Connection
    ) throws(StorageError) -> UnusedCodes {
        var codes = try all(of: device, connection)
        if let split = try DeviceSplit.unfinished(device, connection) {
            let others = try all(of: split.device, connection)
            codes.names.formUnion(others.names)
            codes.attributeKeys.formUnion(others.attributeKeys)
            codes.keyRows.formUnion(others.keyRows)
            codes.resources.formUnion(others.resources)
        }
        return codes
    }

    private static func all(
        of device: Int64, _ connection: Connection
    ) throws(StorageError) -> UnusedCodes {
        let resources = Set(
            try connection.integers(
                """
                SELECT DISTINCT b.resource FROM device_batch AS k CROSS JOIN batch AS b
                WHERE k.device = ? AND b.id = k.batch
                """, device))
        let app = try connection.integers("SELECT app FROM device WHERE id = ?", device).first ?? 0
        let names = try connection.integers(
            """
            SELECT DISTINCT e.name FROM device_batch AS k CROSS JOIN event AS e
            WHERE k.device = ? AND \(EventID.isSQL("e.id", ofBatch: "k.batch"))
            """, device)
        let keys = try connection.integers(
            """
            SELECT DISTINCT a.value FROM device_batch AS k CROSS JOIN batch AS b
                CROSS JOIN json_each(b.attribute_keys) AS a
            WHERE k.device = ? AND b.id = k.batch
            """, device)
        return UnusedCodes(
            names: Set(names.map { AppWord(app: app, word: $0) }),
            attributeKeys: Set(keys.map { AppWord(app: app, word: $0) }),
            keyRows: Set(keys),
            resources: resources)
    }

    /// Leaves out what is used by a row that was not looked at before.
    /// - Parameters:
    ///   - maxRows: how many are looked at, about
    ///   - shouldStop: asked now and then; what was not found used by then is left out too
    /// - Returns: whether all rows there are have been looked at, as far as a candidate is left
    mutating func leaveOutUsed(
        _ connection: Connection, maxRows: Int = .max, shouldStop: () -> Bool = { false }
    ) throws(StorageError) -> Bool {
        var left = maxRows
        guard try leaveOutNames(connection, &left, shouldStop) else { return false }
        guard try leaveOutKeys(connection, &left, shouldStop) else { return false }
        return try leaveOutResources(connection, &left, shouldStop)
    }

    private mutating func leaveOutNames(
        _ connection: Connection, _ left: inout Int, _ shouldStop: () -> Bool
    ) throws(StorageError) -> Bool {
        if names.isEmpty { return true }
        let rows = try connection.prepare(
            """
            SELECT e.id, e.name, b.app FROM event AS e CROSS JOIN batch AS b
            WHERE e.id > ? AND b.id = \(EventID.batchSQL("e.id")) ORDER BY e.id
            """)
        try rows.bind(1, lastEvent)
        var count = 0
        while !names.isEmpty {
            if left <= 0 { return false }
            guard try rows.step() else { return true }
            left -= 1
            lastEvent = rows.int(0)
            names.remove(AppWord(app: rows.int(2), word: rows.int(1)))
            if Self.mustStop(&count, shouldStop) { names = [] }
        }
        return true
    }

    private mutating func leaveOutKeys(
        _ connection: Connection, _ left: inout Int, _ shouldStop: () -> Bool
    ) throws(StorageError) -> Bool {
        if attributeKeys.isEmpty, keyRows.isEmpty { return true }
        let rows = try connection.prepare(
            "SELECT id, app, pruned, attribute_keys, accepted FROM batch WHERE id > ? ORDER BY id")
        try rows.bind(1, lastKeyedBatch)
        let events = try UsedKeys(connection)
        var count = 0
        while !attributeKeys.isEmpty || !keyRows.isEmpty {
            if left <= 0 { return false }
            guard try rows.step() else { return true }
            lastKeyedBatch = rows.int(0)
            let app = rows.int(1)
            let keys = rows.withText(3) { CodeList.parse($0) } ?? []
            left -= 1 + keys.count
            for key in keys { keyRows.remove(key) }
            var used = Set(keys)
            if rows.int(2) != 0 {
                used = try events.of(lastKeyedBatch, listing: keys)
                left -= Int(min(max(rows.int(4), 0), Int64(EventID.maxIndex) + 1))
            }
            for key in used { attributeKeys.remove(AppWord(app: app, word: key)) }
            if Self.mustStop(&count, shouldStop) {
                attributeKeys = []
                keyRows = []
            }
        }
        return true
    }

    private mutating func leaveOutResources(
        _ connection: Connection, _ left: inout Int, _ shouldStop: () -> Bool
    ) throws(StorageError) -> Bool {
        if resources.isEmpty { return true }
        let rows = try connection.prepare("SELECT id, resource FROM batch WHERE id > ? ORDER BY id")
        try rows.bind(1, lastBatch)
        var count = 0
        while !resources.isEmpty {
            if left <= 0 { return false }
            guard try rows.step() else { return true }
            left -= 1
            lastBatch = rows.int(0)
            resources.remove(rows.int(1))
            if Self.mustStop(&count, shouldStop) { resources = [] }
        }
        return true
    }

    /// Asks once in so many rows.
    private static let rowsPerQuestion = 4096

    private static func mustStop(_ count: inout Int, _ shouldStop: () -> Bool) -> Bool {
        count += 1
        return count % rowsPerQuestion == 0 && shouldStop()
    }

    /// Takes some out, with what is known of them: what apps have before the rows of names and keys.
    mutating func takeFirst(_ count: Int) -> UnusedCodes {
        var some = self
        (some.names, some.attributeKeys, some.keyRows, some.resources) = ([], [], [], [])
        var left = count
        Self.move(&names, to: &some.names, &left)
        Self.move(&attributeKeys, to: &some.attributeKeys, &left)
        Self.move(&keyRows, to: &some.keyRows, &left)
        Self.move(&resources, to: &some.resources, &left)
        return some
    }

    private static func move<Code: Hashable>(
        _ codes: inout Set<Code>, to some: inout Set<Code>, _ left: inout Int
    ) {
        // A slice of the set would keep what is removed from, and have it copied.
        let moved = Array(codes.prefix(left))
        left -= moved.count
        some = Set(moved)
        codes.subtract(moved)
    }
}
