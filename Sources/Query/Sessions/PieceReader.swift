import Columns
import Database
import Events
import Storage

/// Reads the pieces of sessions of a scan's segments: from the heads, and where these do not tell enough, from the
/// events: where a gap between them may be longer than the timeout, and in segments of the first form.
struct PieceReader {
    /// A piece, and where it stands.
    struct Piece {
        /// Row of its device and of its batch's resource.
        let device: Int64
        let resource: Int64
        /// The index of its session's key in the segment, and the key.
        let session: Int
        let key: UInt64
        let fold: SessionFold
    }

    private let timeout: Int64
    private var names: SegmentKinds
    private var heads: [SessionHead] = []

    /// - Parameter timeout: as in `SessionFold`
    init(timeout: Int64, _ kinds: SessionKinds) {
        self.timeout = timeout
        names = SegmentKinds(kinds)
    }

    /// Calls `body` with the pieces of the current segment that are of parts in the scan's stretch; before
    /// the segment's first part. Throws what `body` and the database throw, and `damaged`.
    /// - Parameters:
    ///   - excluded: parts that touch this stretch are left out
    ///   - isWanted: whether a piece is wanted, by the index of its session, its key and its device
    @inline(__always)
    mutating func forEach(
        of scan: inout SegmentScan, except excluded: Range<Int64>? = nil,
        where isWanted: (_ session: Int, _ key: UInt64, _ device: Int64) -> Bool,
        _ body: (Piece) throws(StorageError) -> Void
    ) throws(StorageError) {
        let count = try scan.readSessions(except: excluded, gap: timeout, into: &heads)
        let keys = scan.part.sessions
        var unread: Set<Int> = []
        for head in heads[..<count] {
            let session = Int(head.session)
            let key = keys[session]
            guard isWanted(session, key, head.device) else { continue }
            if head.needsEvents {
                unread.insert(session)
                continue
            }
            let fold = SessionFold(
                timeout: timeout,
                SessionFold.Summary(
                    start: head.first, length: Int64(head.length), silence: Int64(head.silence),
                    lead: Int64(head.lead), count: Int(head.count), hasStart: head.hasStart,
                    hasTransition: head.hasTransition, isInBackground: head.isInBackground))
            try body(
                Piece(
                    device: head.device, resource: head.resource, session: session, key: key,
                    fold: fold))
        }
        if unread.isEmpty { return }
        while try scan.nextPart() {
            if scan.part.needsEvents(gap: timeout) { try readEvents(of: &scan, unread, body) }
        }
    }

    /// Some pieces of the current part, by the indices of their sessions.
    private mutating func readEvents(
        of scan: inout SegmentScan, _ wanted: Set<Int>,
        _ body: (Piece) throws(StorageError) -> Void
    ) throws(StorageError) {
        let first = scan.part.firstSession
        guard scan.part.groups.indices.contains(where: { wanted.contains(first + $0) }) else {
            return
        }
        try scan.load([.times, .names])
        names.follow(scan.segment, scan.part.nameRows)
        scan.part.readTimes()
        scan.part.readNames()
        try scan.check()
        var session = first - 1
        for group in scan.part.groups {
            guard let key = group.session else { continue }
            session += 1
            guard wanted.contains(session) else { continue }
            var fold = SessionFold(timeout: timeout)
            for index in group.range {
                fold.add(
                    time: scan.part.times[index], kind: names.kind(at: scan.part.names[index]))
            }
            try body(
                Piece(
                    device: scan.part.device, resource: scan.part.resource, session: session,
                    key: key, fold: fold))
        }
    }
}
