import Database
import Events
import Storage

/// Pieces of sessions, to be joined by session: by its key and its device.
struct SessionPieces: ReportShare {
    private var shards: DeviceShards<SessionPiece>
    /// How many pieces there are.
    private(set) var count = 0

    /// Without pieces.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { shards = DeviceShards(account) }

    /// Adds a piece.
    @inline(__always)
    mutating func add(_ piece: SessionPiece) {
        shards.append(piece)
        count += 1
    }

    /// Adds the pieces of another.
    mutating func merge(_ other: SessionPieces) {
        shards.merge(other.shards)
        count += other.count
    }

    /// Drops the pieces of other devices.
    mutating func keep(_ round: PieceRounds.Round) {
        shards.keep(where: round.contains)
        count = shards.count
    }

    /// The keys of all sessions.
    func keys(_ account: ReportAccount) -> KeyFilter {
        var keys = KeyFilter(for: count, account)
        shards.forEach { keys.insert($0.session) }
        return keys
    }

    /// The same, to be looked for among short keys.
    func shortKeys(_ account: ReportAccount) -> ShortKeys.Filter {
        var keys = ShortKeys.Filter(for: count, account)
        shards.forEach { keys.insert($0.session) }
        return keys
    }

    /// Calls `body` with the pieces of each session, ordered by their starts, on as many threads as
    /// are free. Throws what it throws, and if the report has to end.
    /// - Parameter empty: the share each thread begins with
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading,
        _ body:
            @escaping @Sendable (inout Share, ArraySlice<SessionPiece>) throws(StorageError) ->
            Void
    ) throws(StorageError) -> Share {
        try shards.collect(empty, reading, by: SessionPiece.precedes) {
            (share, pieces) throws(StorageError) in
            var start = pieces.startIndex
            while start < pieces.endIndex {
                let session = pieces[start].session
                var end = start + 1
                while end < pieces.endIndex, pieces[end].session == session { end += 1 }
                try body(&share, pieces[start..<end])
                start = end
            }
        }
    }
}

/// The part of a session that one batch has on one UTC day.
struct SessionPiece: DeviceKeyed {
    /// Row of the device.
    let device: Int64
    /// The session's key (`SegmentReader.sessions`).
    let session: UInt64
    // So that a piece takes 40 bytes. The resource has 36 bits: no database has 2^35 of them. Below it is the lead
    // (`SessionFold`), milliseconds within a day, and a flag.
    private let origin: Int64
    // The start has 55 bits: times stand within ±2^53 and an hour. Below it are two flags, and the count above its
    // ten lowest bits; a batch has no more than 2^13 events.
    private let head: UInt64
    // Milliseconds within a day, 27 bits each: from the first event to the last, and how much of that is no
    // foreground time. Below them are the lowest bits of the count.
    private let spans: UInt64

    private static let hasTransition: Int64 = 1
    private static let hasStart: UInt64 = 1
    private static let isInBackground: UInt64 = 2
    private static let spanMask: UInt64 = 1 << 27 - 1
    private static let countMask: UInt64 = 1 << 10 - 1

    /// - Parameter fold: of its events, which lie within one UTC day
    init(device: Int64, session: UInt64, resource: Int64, fold: SessionFold) {
        self.device = device
        self.session = session
        origin =
            resource << 28 | (fold.lead & Int64(Self.spanMask)) << 1
            | (fold.hasTransition ? Self.hasTransition : 0)
        let length = fold.last &- fold.start
        let count = UInt64(truncatingIfNeeded: fold.count)
        var head = UInt64(bitPattern: fold.start << 9) | (count >> 10 & 0x7f) << 2
        if !fold.isStartInferred { head |= Self.hasStart }
        if fold.isInBackground { head |= Self.isInBackground }
        self.head = head
        let silence = UInt64(bitPattern: length &- fold.duration) & Self.spanMask
        spans =
            (UInt64(bitPattern: length) & Self.spanMask) << 37 | silence << 10
            | count & Self.countMask
    }

    /// A piece that was read.
    init(_ piece: PieceReader.Piece) {
        self.init(
            device: piece.device, session: piece.key, resource: piece.resource, fold: piece.fold)
    }

    /// Row of the batch's resource.
    @inline(__always)
    var resource: Int64 { origin >> 28 }

    /// Time of its first event, milliseconds since 1970-01-01T00:00:00Z.
    @inline(__always)
    var start: Int64 { Int64(bitPattern: head) >> 9 }

    /// Of its events.
    func fold(_ timeout: Int64) -> SessionFold {
        SessionFold(
            timeout: timeout,
            SessionFold.Summary(
                start: start, length: Int64(spans >> 37),
                silence: Int64(spans >> 10 & Self.spanMask),
                lead: origin >> 1 & Int64(Self.spanMask),
                count: Int(spans & Self.countMask | (head >> 2 & 0x7f) << 10),
                hasStart: head & Self.hasStart != 0,
                hasTransition: origin & Self.hasTransition != 0,
                isInBackground: head & Self.isInBackground != 0))
    }

    /// The order of pieces of one device.
    static func precedes(_ a: SessionPiece, _ b: SessionPiece) -> Bool {
        a.session != b.session ? a.session < b.session : a.start < b.start
    }
}
