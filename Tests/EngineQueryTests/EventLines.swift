import Events
import Query

/// The events of an export as text.
struct EventLines {
    private(set) var lines: [String] = []

    init(_ events: ExportedEvents) {
        for event in events.events {
            let batch = events.batches[Int(event.batch)]
            // Bytes, since `String`s that Unicode calls equal are two texts.
            lines.append(
                """
                \(event.time) \(event.index) \(batch.device.hex) \(batch.id.string) \
                \(batch.receivedAt) \(events.resources[batch.resource]) \
                \(events.text[event.name]) \(events.text[event.attributes])
                """)
        }
    }

    /// The next lines after a cursor, some hundred bytes each.
    static func next(
        _ cursor: inout EventCursor, limit: Int, _ queries: some Queries
    ) throws -> [String] {
        try queries.events(&cursor, limit: limit * 300) { EventLines($0).lines }.flatMap { $0 }
    }

    /// All lines after a cursor, in pages.
    static func all(
        _ cursor: EventCursor, limit: Int, _ queries: some Queries, resuming: Bool = false
    ) throws -> (lines: [String], faults: [String], last: ExportPosition?) {
        var (cursor, lines, faults) = (cursor, [String](), [String]())
        while !cursor.isDone {
            // As after a restart, or by another engine.
            if resuming { cursor.ahead = nil }
            let page = try next(&cursor, limit: limit, queries)
            lines += page
            if page.isEmpty, !cursor.isDone { faults.append("an empty page") }
        }
        return (lines, faults, cursor.position)
    }
}
