import Columns
import Database
import Engine
import Events
import Storage

/// Reads the events of one batch after another into columns of its row.
struct SpoolEvents: ~Copyable {
    private let path: String
    private let events: Statement
    private var sessions = SessionTexts()
    private var attributes = AttributeSplitter()
    private var names = SpoolNames()

    init(_ connection: Connection) throws(StorageError) {
        path = connection.path
        events = try connection.prepare(
            """
            SELECT id, name, late, session, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1")) ORDER BY id
            """)
    }

    /// Forgets names: their numbers may be others' by now.
    mutating func forget() { names.removeAll() }

    /// Reads all of a batch's events.
    /// - Parameters:
    ///   - keyList: as `batch.attribute_keys` has it
    ///   - sessionList: as `batch.sessions` has it
    mutating func read(
        batch: Int64, receivedAt: Int64, keyList: Span<UInt8>, sessionList: Span<UInt8>,
        _ words: inout SpoolWords, into columns: inout EventColumns
    ) throws(StorageError) {
        guard let keys = CodeList.parse(keyList) else {
            throw damage("a batch has keys that cannot be read")
        }
        try attributes.begin(keys, &words)
        guard sessions.read(sessionList) else {
            throw damage("a batch has sessions that cannot be read")
        }
        try events.bind(1, batch)
        defer { events.reset() }
        while try events.step() {
            let name = try names.entry(events.int(1), &words)
            let isSound = events.withText(4) { text in
                attributes.split(text, subject: name.subject, into: &columns)
            }
            if !isSound { throw damage("an event has attributes that cannot be read") }
            guard let session = sessions.range(events.optionalInt(3)) else {
                throw damage("an event has a session that its batch has not")
            }
            columns.add(
                place: UInt16(truncatingIfNeeded: EventID(rawValue: events.int(0)).index),
                time: receivedAt &- events.int(2), name: names.texts.span.extracting(name.text),
                session: sessions.texts.span.extracting(session),
                subject: attributes.subject.span, value: attributes.amount)
        }
    }

    private func damage(_ found: String) -> StorageError { .damaged(path: path, found: found) }
}
