import Columns
import Database
import Events

/// Segments whose column of sessions is of the first form: such a program did not know that an app stays in the
/// background until it is resumed. Reports read the events of these; so they get a new column while the server runs.
package enum SessionRenewal {
    /// The fact of `meta` that none is left.
    private static let fact = "sessions_renewed"
    /// Bytes of segments that are written at once, about.
    private static let bytesAtOnce = 1 << 20

    /// A segment, and its new column.
    package struct Renewed: Sendable {
        let id: Int64
        /// Of the segment that was read.
        let checksum: Int64
        let sessions: [UInt8]
    }

    /// Whether no segment is of the first form.
    package static func isDone(_ connection: Connection) throws(StorageError) -> Bool {
        try connection.fact(fact) != nil
    }

    /// From now on no segment is.
    package static func setDone(_ connection: Connection) throws(StorageError) {
        try connection.setFact(fact, 1)
    }

    /// New columns of the next of them. Those that are not what was written are left as they are: `verify` tells.
    /// - Parameters:
    ///   - reached: the segment after which to look
    ///   - connection: in a transaction
    /// - Returns: none where none is left; and how far it has looked
    package static func next(
        after reached: Int64, _ connection: Connection
    ) throws(StorageError) -> (renewed: [Renewed], reached: Int64) {
        let segments = try connection.prepare(
            """
            SELECT id, checksum, day, parts, sessions, times, names, length(subjects) FROM segment
            WHERE id > ?1 AND substr(sessions, 1, ?2) IS NOT ?3 ORDER BY id
            """)
        var mark = PackedWriter()
        mark.append(SegmentReader.currentForm)
        try segments.bind(1, reached)
        try segments.bind(2, Int64(mark.bytes.count))
        try segments.bindBlob(3, mark.bytes)
        var names = try SegmentRows(connection)
        var reader = SegmentReader([.times, .names])
        var renewed: [Renewed] = []
        var (last, bytes) = (reached, 0)
        while bytes < bytesAtOnce, try segments.step() {
            last = segments.int(0)
            let segment = Segment(
                day: segments.int(2), events: 0, parts: segments.blob(3),
                sessions: segments.blob(4), times: segments.blob(5), names: segments.blob(6),
                subjects: [])
            // The whole row is written again.
            bytes += segment.bytes + Int(segments.int(7))
            reader.begin(segment)
            var kinds: [SessionEventKind] = []
            for row in reader.nameRows { kinds.append(try names.name(row).kind) }
            guard let sessions = reader.renewedSessions(kinds) else { continue }
            renewed.append(Renewed(id: last, checksum: segments.int(1), sessions: sessions))
        }
        return (renewed, last)
    }

    /// Writes new columns, of segments that are still what they were; blocks of attributes go on standing beside
    /// them. Within a transaction on a connection that writes.
    /// - Returns: how many were
    package static func write(
        _ renewed: [Renewed], _ connection: Connection
    ) throws(StorageError) -> Int {
        let columns = ("app, day, events, parts,", "times, names, subjects")
        func checksum(_ sessions: String) -> String {
            CheckedTable.segment.expression("\(columns.0) \(sessions), \(columns.1)")
        }
        // One that is not what was written stays so, for `verify` to tell.
        let segment = try connection.prepare(
            """
            UPDATE segment SET sessions = ?3, checksum = \(checksum("?3"))
            WHERE id = ?1 AND checksum = ?2 AND checksum = \(checksum("sessions"))
            """)
        func block(_ of: String) -> String {
            CheckedTable.segmentAttributes.expression(
                "segment_attributes.id, \(of), segment_attributes.columns")
        }
        let attributes = try connection.prepare(
            """
            UPDATE segment_attributes SET of = s.checksum, checksum = \(block("s.checksum"))
            FROM segment AS s
            WHERE s.id = ?1 AND segment_attributes.id = ?1 AND segment_attributes.of = ?2
                AND segment_attributes.checksum = \(block("?2"))
            """)
        var count = 0
        for one in renewed {
            try segment.bind(1, one.id)
            try segment.bind(2, one.checksum)
            try segment.bindBlob(3, one.sessions)
            try segment.run()
            guard connection.changes > 0 else { continue }
            count += 1
            try attributes.bind(1, one.id)
            try attributes.bind(2, one.checksum)
            try attributes.run()
        }
        return count
    }
}
