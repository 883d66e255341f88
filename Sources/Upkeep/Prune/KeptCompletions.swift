import Columns
import Database
import Events
import Storage

/// Keeps the first completions of events that a prune is about to delete. On a connection that writes, within the
/// transaction that deletes them.
struct KeptCompletions: ~Copyable {
    private let find: Statement
    private let findBatch: Statement
    private let insert: Statement
    /// Row of the key `content.id`.
    private let key: Int64?
    // Of the batch of the last event:
    private var batch: Int64 = -1
    private var device: Int64 = 0
    private var arrival: Int64 = 0
    /// The index of the key among the batch's; nil where it has not the key.
    private var keyIndex: Int64?

    init(_ connection: Connection) throws(StorageError) {
        let find = try connection.prepare(
            "SELECT late, attributes FROM event WHERE id = ?1 AND name = ?2")
        let findBatch = try connection.prepare(
            "SELECT device, received_at, attribute_keys FROM batch WHERE id = ?1")
        // Of two completions the first stays, in the order of first events.
        let insert = try connection.prepare(
            """
            INSERT INTO completion (device, content, time, event, checksum)
            SELECT ?1, content, ?3, ?4,
                \(CheckedTable.completion.expression("?1, content, ?3, ?4"))
            FROM (SELECT CAST(?2 ->> '$' AS TEXT) AS content) WHERE true
            ON CONFLICT DO UPDATE SET time = excluded.time, event = excluded.event,
                checksum = excluded.checksum
            WHERE (excluded.time, (SELECT batch_id FROM batch WHERE id = \(EventID.batchSQL("excluded.event"))),
                    \(EventID.indexSQL("excluded.event")))
                < (time, (SELECT batch_id FROM batch WHERE id = \(EventID.batchSQL("event"))), \(EventID.indexSQL("event")))
            """)
        let name = try connection.prepare("SELECT id FROM name WHERE text = ?")
        try name.bind(1, StandardEvent.contentComplete.rawValue)
        try find.bind(2, try name.step() ? name.int(0) : -1)
        let key = try connection.prepare("SELECT id FROM attribute_key WHERE text = ?")
        try key.bind(1, StandardAttribute.contentID.key)
        self.key = try key.step() ? key.int(0) : nil
        // All or none: a value that cannot be copied is never half there.
        self.find = find
        self.findBatch = findBatch
        self.insert = insert
    }

    /// Keeps the completion that an event may be.
    /// - Parameter event: its row; rows come batch by batch
    mutating func keep(_ event: Int64) throws(StorageError) {
        try find.bind(1, event)
        defer { find.reset() }
        guard try find.step() else { return }
        try begin(EventID(rawValue: event).batch)
        guard let keyIndex else { return }
        let content = find.withText(1) { Self.value(of: keyIndex, in: $0) }
        guard let content else { return }
        try insert.bind(1, device)
        try insert.bindText(2, content)
        try insert.bind(3, arrival &- find.int(0))
        try insert.bind(4, event)
        try insert.run()
    }

    private mutating func begin(_ batch: Int64) throws(StorageError) {
        if batch == self.batch { return }
        (self.batch, keyIndex) = (batch, nil)
        try findBatch.bind(1, batch)
        defer { findBatch.reset() }
        guard let key, try findBatch.step() else { return }
        (device, arrival) = (findBatch.int(0), findBatch.int(1))
        let keys = findBatch.withText(2) { CodeList.parse($0) } ?? []
        keyIndex = keys.firstIndex(of: key).map { Int64($0) }
    }

    /// The value of a key, a JSON scalar; nil where the event has not the key.
    private static func value(of key: Int64, in text: Span<UInt8>) -> [UInt8]? {
        var walk = ArrayElements.Walk(.bare)
        while case .element(let digits) = walk.next(in: text),
            case .element(let value) = walk.next(in: text)
        {
            guard text.integer(digits) == key else { continue }
            return text.extracting(value).withUnsafeBufferPointer { Array($0) }
        }
        return nil
    }
}
