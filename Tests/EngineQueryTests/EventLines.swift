import Events
import Query

/// Takes the events of an export, a page at a time, as text.
struct EventLines: EventSink {
    private(set) var lines: [String] = []
    /// How many events a page takes.
    let limit: Int
    private var count = 0
    private var line = ""
    /// By the number of a batch on the page, what it is.
    private var batches: [Int: String] = [:]
    /// Numbers that were given to two batches.
    private(set) var faults: [String] = []

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { count >= limit }
    var wanted: Int { max(1, limit - count) }

    mutating func begin(
        time: Int64, index: Int64, name: [UInt8], session: ArraySlice<UInt8>?,
        of batch: ExportedBatch
    ) {
        let own = """
            \(batch.device.hex) \(batch.batchID.string) \(batch.receivedAt) \
            \(batch.resource.members.map { "\($0.name)=\($0.value.bytes)" })
            """
        if let known = batches[batch.number], known != own { faults.append("\(known), \(own)") }
        batches[batch.number] = own
        let session = session.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        line = "\(time) \(index) \(String(decoding: name, as: UTF8.self)) \(session) \(own)"
    }

    mutating func attribute(_ key: [UInt8], _ value: Span<UInt8>) {
        let value = value.withUnsafeBufferPointer { Array($0) }
        // Bytes, since `String`s that Unicode calls equal are two texts.
        line += " \(key):\(value)"
    }

    mutating func end() {
        lines.append(line)
        count += 1
    }

    /// All lines after a cursor, in pages.
    static func all(
        _ cursor: EventCursor, limit: Int, _ queries: some Queries, resuming: Bool = false
    ) throws -> (lines: [String], faults: [String], last: ExportPosition?) {
        var (cursor, lines, faults) = (cursor, [String](), [String]())
        while !cursor.isDone {
            // As after a restart, or by another engine.
            if resuming { cursor.ahead = nil }
            var page = EventLines(limit: limit)
            try queries.events(&cursor, to: &page)
            lines += page.lines
            faults += page.faults
            if page.lines.isEmpty, !cursor.isDone { faults.append("an empty page") }
        }
        return (lines, faults, cursor.position)
    }
}
