import Columns
import Database
import Events
import Storage

/// Segments as programs wrote them that did not know that an app stays in the background until it is resumed.
package enum FirstForm {
    /// Gives each segment the column of sessions that such a program wrote. Blocks of attributes stay beside them.
    package static func write(_ connection: Connection) throws(StorageError) {
        var segments: [(id: Int64, checksum: Int64, sessions: [UInt8])] = []
        let rows = try connection.prepare(
            "SELECT id, checksum, day, parts, sessions, times, names FROM segment")
        var names = try SegmentRows(connection)
        var reader = SegmentReader([.times, .names])
        while try rows.step() {
            reader.begin(
                Segment(
                    day: rows.int(2), events: 0, parts: rows.blob(3), sessions: rows.blob(4),
                    times: rows.blob(5), names: rows.blob(6), subjects: []))
            var kinds: [SessionEventKind] = []
            for row in reader.nameRows { kinds.append(try names.name(row).kind) }
            segments.append((rows.int(0), rows.int(1), column(&reader, kinds)))
        }
        for segment in segments {
            try connection.change(
                """
                UPDATE segment SET sessions = x'\(hex(segment.sessions))' WHERE id = ?1
                """, segment.id)
            try connection.execute(CheckedTable.segment.refresh(where: "id = \(segment.id)"))
            try connection.change(
                """
                UPDATE segment_attributes SET of = (SELECT checksum FROM segment WHERE id = ?1)
                WHERE id = ?1 AND of = ?2
                """, segment.id, segment.checksum)
            try connection.execute(
                CheckedTable.segmentAttributes.refresh(where: "id = \(segment.id)"))
        }
        try connection.execute("DELETE FROM meta WHERE name = 'sessions_renewed'")
    }

    private static func column(
        _ reader: inout SegmentReader, _ kinds: [SessionEventKind]
    ) -> [UInt8] {
        let keys = reader.sessions
        var column = PackedWriter()
        column.append(UInt64(keys.count))
        for key in keys { column.append(hash: key) }
        while reader.next() {
            reader.readTimes()
            reader.readNames()
            for group in reader.groups {
                let events = group.range.map { (reader.times[$0], kinds[Int(reader.names[$0])]) }
                let isAlone = reader.groups.count == 1
                let hasSession = group.session != nil
                var silence: Int64?
                for (event, next) in zip(events, events.dropFirst()) where event.1 == .end {
                    silence = (silence ?? 0) + next.0 - event.0
                }
                var flags: UInt64 = hasSession ? 1 : 0
                if hasSession {
                    if events.contains(where: { $0.1 == .start }) { flags |= 2 }
                    if events.last?.1 == .end { flags |= 4 }
                    if silence != nil { flags |= 8 }
                }
                column.append(isAlone ? flags : flags | UInt64(events.count) << 4)
                if !isAlone {
                    column.append(UInt64(bitPattern: group.first - reader.first))
                    column.append(UInt64(bitPattern: group.last - group.first))
                }
                if hasSession, let silence { column.append(UInt64(bitPattern: silence)) }
            }
        }
        return column.bytes
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
