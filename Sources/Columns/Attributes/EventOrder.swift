import Events

/// What rows of events say by which they are brought into the order in which a segment has them.
struct EventOrder {
    /// One row.
    struct Row {
        var time: Int64 = 0
        /// Hash of the session's id; 0 where it has none.
        var session: UInt64 = 0
        var hasSession = false
        /// What the event is to its session: of two of the same time that decides.
        var kind: UInt8 = 0
        /// Index of the session among the part's; −1 where the part has no such session.
        var group: Int32 = 0
        /// Index of the row.
        var index: Int32 = 0

        static func precedes(_ a: Row, _ b: Row) -> Bool {
            if a.group != b.group { return a.group < b.group }
            if a.time != b.time { return a.time < b.time }
            return a.kind != b.kind ? a.kind < b.kind : a.index < b.index
        }
    }

    /// Of each event; none before the first row comes.
    var rows: [Row] = []

    /// Bytes that it takes.
    var bytes: Int { rows.capacity * MemoryLayout<Row>.stride }

    /// Brings the rows of a part into the order of its groups, and within one into that of time.
    mutating func sort(
        _ range: Range<Int>, by groups: [SegmentReader.Group], of device: Int64
    ) {
        // Few, mostly, and neighbours have the same.
        var indices: [UInt64: Int] = [:]
        if groups.count > 8 {
            for (index, group) in groups.enumerated() {
                if let session = group.session { indices[session] = index }
            }
        }
        let none = groups.firstIndex { $0.session == nil } ?? -1
        var last = -1
        for index in range {
            let row = rows[index]
            if !row.hasSession {
                rows[index].group = Int32(truncatingIfNeeded: none)
                continue
            }
            let key = SessionKey.mixed(row.session, with: device)
            if last < 0 || groups[last].session != key {
                last =
                    groups.count > 8
                    ? indices[key] ?? -1 : groups.firstIndex { $0.session == key } ?? -1
            }
            rows[index].group = Int32(truncatingIfNeeded: last)
        }
        for index in range.dropFirst() where Row.precedes(rows[index], rows[index - 1]) {
            rows[range].sort(by: Row.precedes)
            return
        }
    }
}
