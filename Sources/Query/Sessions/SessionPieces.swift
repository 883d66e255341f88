import Database
import Events
import Storage

/// Pieces of sessions, looked up by session: its key and its device.
struct SessionPieces: Sendable {
    private var pieces: [SessionPiece] = []
    /// The next piece of the same session; −1 after the last. A new piece is inserted after the
    /// first one.
    private var next: [Int32] = []
    /// Whether a piece is the first one added of its session.
    private var isFirst: [Bool] = []
    /// The first piece added of a session's key.
    private var slots = HashSlots(slots: 1 << 12)
    /// The first piece of a session that shares its key with one of another device. That never
    /// happens by chance, only with ids chosen for it.
    private var alike: [Session: Int] = [:]
    /// A bit filter of the sessions' hashes: it rejects most sessions that are not here.
    private var bits = [UInt64](repeating: 0, count: 1 << 14)
    private static let bitMask: UInt64 = (1 << 20) - 1
    private var held: HeldBytes
    /// Bytes that a session takes in `alike`, about.
    private static let alikeBytes = 48

    /// Without pieces.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) {
        held = HeldBytes(account)
        held.add(bits.allocatedBytes + slots.allocatedBytes)
    }

    private struct Session: Hashable {
        let key: UInt64
        let device: Int64
    }

    /// How many pieces there are.
    var count: Int { pieces.count }

    /// Adds a piece.
    mutating func add(_ piece: SessionPiece) {
        let hash = NumberHash.hash(piece.session)
        let number = pieces.count
        let ofKey = first(of: piece.session, hash)
        let first = first(of: piece.session, piece.device, ofKey)
        pieces.append(piece, &held)
        if let first {
            next.append(next[first], &held)
            next[first] = Int32(truncatingIfNeeded: number)
            isFirst.append(false, &held)
            return
        }
        next.append(-1, &held)
        isFirst.append(true, &held)
        if ofKey != nil {
            alike[Session(key: piece.session, device: piece.device)] = number
            held.add(Self.alikeBytes)
            return
        }
        let before = slots.allocatedBytes
        slots.insert(number, hash)
        held.add(slots.allocatedBytes - before)
        let bit = hash & Self.bitMask
        bits[Int(bit >> 6)] |= 1 << (bit & 63)
    }

    /// Adds the pieces of another.
    mutating func merge(_ other: SessionPieces) {
        for piece in other.pieces { add(piece) }
    }

    /// Whether there is a piece of a session.
    func contains(_ session: UInt64, of device: Int64) -> Bool {
        first(of: session, device, first(of: session, NumberHash.hash(session))) != nil
    }

    /// Whether there is a piece of any of a segment's sessions.
    func containsAny(of sessions: [UInt64]) -> Bool {
        sessions.contains { session in
            let hash = NumberHash.hash(session)
            let bit = hash & Self.bitMask
            if bits[Int(bit >> 6)] >> (bit & 63) & 1 == 0 { return false }
            return first(of: session, hash) != nil
        }
    }

    /// The first piece with a session's key, of any device.
    private func first(of session: UInt64, _ hash: UInt64) -> Int? {
        slots.number(hash) { pieces[$0].session == session }
    }

    private func first(of session: UInt64, _ device: Int64, _ ofKey: Int?) -> Int? {
        guard let ofKey, pieces[ofKey].device != device else { return ofKey }
        return alike[Session(key: session, device: device)]
    }

    /// Calls `body` with the pieces of each session, ordered by their starts. Throws what `body`
    /// throws.
    func forEachSession(
        _ body: (ArraySlice<SessionPiece>) throws(StorageError) -> Void
    ) throws(StorageError) {
        var some: [SessionPiece] = []
        for number in pieces.indices where isFirst[number] {
            if next[number] < 0 {
                try body(pieces[number...number])
                continue
            }
            some.removeAll(keepingCapacity: true)
            var index = number
            while index >= 0 {
                some.append(pieces[index])
                index = Int(next[index])
            }
            some.sort { $0.fold.start < $1.fold.start }
            try body(some[...])
        }
    }
}

/// The part of a session that one batch has on one UTC day.
struct SessionPiece: Sendable {
    /// Row of the device.
    let device: Int64
    /// The session's key (`SegmentReader.sessions`).
    let session: UInt64
    /// Row of the batch's resource.
    let resource: Int64
    /// The fold of its events.
    let fold: SessionFold
}
