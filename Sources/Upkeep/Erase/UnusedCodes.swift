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
    /// Words that one transaction deletes: some milliseconds of the writer.
    private static let wordsPerStep = 1_000

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

    /// What a device uses, and perhaps nobody else.
    static func candidates(
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

    /// Leaves out what is used by a row that was not looked at before. Run again in the transaction
    /// that deletes, it looks only at what was appended meanwhile.
    /// - Parameter shouldStop: asked now and then; what was not found used by then is left out too
    mutating func leaveOutUsed(
        _ connection: Connection, shouldStop: () -> Bool = { false }
    ) throws(StorageError) {
        try leaveOutNames(connection, shouldStop)
        try leaveOutKeys(connection, shouldStop)
        try leaveOutResources(connection, shouldStop)
    }

    private mutating func leaveOutNames(
        _ connection: Connection, _ shouldStop: () -> Bool
    ) throws(StorageError) {
        if names.isEmpty { return }
        let rows = try connection.prepare(
            """
            SELECT e.id, e.name, b.app FROM event AS e CROSS JOIN batch AS b
            WHERE e.id > ? AND b.id = \(EventID.batchSQL("e.id")) ORDER BY e.id
            """)
        try rows.bind(1, lastEvent)
        var count = 0
        while !names.isEmpty, try rows.step() {
            lastEvent = rows.int(0)
            names.remove(AppWord(app: rows.int(2), word: rows.int(1)))
            if Self.mustStop(&count, shouldStop) { names = [] }
        }
    }

    private mutating func leaveOutKeys(
        _ connection: Connection, _ shouldStop: () -> Bool
    ) throws(StorageError) {
        if attributeKeys.isEmpty, keyRows.isEmpty { return }
        let rows = try connection.prepare(
            "SELECT id, app, pruned, attribute_keys FROM batch WHERE id > ? ORDER BY id")
        try rows.bind(1, lastKeyedBatch)
        let events = try UsedKeys(connection)
        var count = 0
        while !attributeKeys.isEmpty || !keyRows.isEmpty, try rows.step() {
            lastKeyedBatch = rows.int(0)
            let app = rows.int(1)
            let keys = rows.withText(3) { CodeList.parse($0) } ?? []
            for key in keys { keyRows.remove(key) }
            let used =
                rows.int(2) == 0 ? Set(keys) : try events.of(lastKeyedBatch, listing: keys)
            for key in used { attributeKeys.remove(AppWord(app: app, word: key)) }
            if Self.mustStop(&count, shouldStop) {
                attributeKeys = []
                keyRows = []
            }
        }
    }

    private mutating func leaveOutResources(
        _ connection: Connection, _ shouldStop: () -> Bool
    ) throws(StorageError) {
        if resources.isEmpty { return }
        let rows = try connection.prepare("SELECT id, resource FROM batch WHERE id > ? ORDER BY id")
        try rows.bind(1, lastBatch)
        var count = 0
        while !resources.isEmpty, try rows.step() {
            lastBatch = rows.int(0)
            resources.remove(rows.int(1))
            if Self.mustStop(&count, shouldStop) { resources = [] }
        }
    }

    /// The same in parts, of which each is small enough for one transaction; what apps have goes before
    /// the rows. At least one, which may be empty; the last one has the resources.
    var steps: [UnusedCodes] {
        var steps: [UnusedCodes] = []
        var step = emptied
        var count = 0
        func add(_ change: (inout UnusedCodes) -> Void) {
            if count == Self.wordsPerStep {
                steps.append(step)
                step = emptied
                count = 0
            }
            change(&step)
            count += 1
        }
        for name in names { add { $0.names.insert(name) } }
        for key in attributeKeys { add { $0.attributeKeys.insert(key) } }
        for row in keyRows { add { $0.keyRows.insert(row) } }
        step.resources = resources
        return steps + [step]
    }

    private var emptied: UnusedCodes {
        var step = self
        step.names = []
        step.attributeKeys = []
        step.keyRows = []
        step.resources = []
        return step
    }

    /// Deletes them, and rows of names that no app has any more. The writer has to forget its codes.
    /// - Returns: how many rows of names and attribute keys
    func delete(from connection: Connection) throws(StorageError) -> Int64 {
        for row in resources { try connection.change("DELETE FROM resource WHERE id = ?", row) }
        if names.isEmpty, attributeKeys.isEmpty, keyRows.isEmpty { return 0 }
        var words: Int64 = 0
        try deleteUses(names, .name, connection)
        try deleteUses(attributeKeys, .attributeKey, connection)
        let name = try connection.prepare(Self.deleteRow(.name))
        for row in Set(names.map(\.word)) {
            try name.bind(1, row)
            try name.run()
            words += connection.changes
        }
        let key = try connection.prepare(Self.deleteRow(.attributeKey))
        for row in keyRows {
            try key.bind(1, row)
            try key.run()
            words += connection.changes
        }
        return words
    }

    private func deleteUses(
        _ words: Set<AppWord>, _ kind: WordKind, _ connection: Connection
    ) throws(StorageError) {
        let row = try connection.prepare(
            "DELETE FROM \(kind.useTable) WHERE app = ? AND \(kind.table) = ?")
        for word in words {
            try row.bind(1, word.app)
            try row.bind(2, word.word)
            try row.run()
        }
    }

    private static func deleteRow(_ kind: WordKind) -> String {
        """
        DELETE FROM \(kind.table) WHERE id = ?1 AND NOT EXISTS (
            SELECT 1 FROM app AS a CROSS JOIN \(kind.useTable) AS u
            WHERE u.app = a.id AND u.\(kind.table) = ?1)
        """
    }

    /// Asks once in so many rows.
    private static let rowsPerQuestion = 4096

    private static func mustStop(_ count: inout Int, _ shouldStop: () -> Bool) -> Bool {
        count += 1
        return count % rowsPerQuestion == 0 && shouldStop()
    }
}
