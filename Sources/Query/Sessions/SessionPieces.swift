import Database
import Events
import Storage

/// Pieces of sessions, found by session: its key, and the device.
struct SessionPieces: Sendable {
    private var pieces: [SessionPiece] = []
    /// The next piece of the same session; −1 behind the last. The first one's second is the one that came
    /// last.
    private var next: [Int32] = []
    /// Whether a piece is the first of its session that came.
    private var isFirst: [Bool] = []
    /// The first piece that came of a session's key.
    private var slots = HashSlots(slots: 1 << 12)
    /// The first piece of a session whose key another device's has too. By chance that never is: it takes
    /// ids that were chosen for it.
    private var alike: [Session: Int] = [:]
    /// Bits of the sessions' hashes: most that is not here is told by them.
    private var bits = [UInt64](repeating: 0, count: 1 << 14)
    private static let bitMask: UInt64 = (1 << 20) - 1
    private var held: HeldBytes
    /// What a session takes in `alike`, about.
    private static let alikeOctets = 48

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) {
        held = HeldBytes(account)
        held.add(bits.allocatedBytes + slots.allocatedBytes)
    }

    private struct Session: Hashable {
        let key: UInt64
        let device: Int64
    }

    /// How many there are.
    var count: Int { pieces.count }

    /// Adds one.
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
            held.add(Self.alikeOctets)
            return
        }
        let before = slots.allocatedBytes
        slots.insert(number, hash)
        held.add(slots.allocatedBytes - before)
        let bit = hash & Self.bitMask
        bits[Int(bit >> 6)] |= 1 << (bit & 63)
    }

    /// Adds those of another.
    mutating func merge(_ other: SessionPieces) {
        for piece in other.pieces { add(piece) }
    }

    /// Whether there is one of the session.
    func contains(_ session: UInt64, of device: Int64) -> Bool {
        first(of: session, device, first(of: session, NumberHash.hash(session))) != nil
    }

    /// Whether there is one of any of a segment's sessions.
    func containsAny(of sessions: [UInt64]) -> Bool {
        sessions.contains { session in
            let hash = NumberHash.hash(session)
            let bit = hash & Self.bitMask
            if bits[Int(bit >> 6)] >> (bit & 63) & 1 == 0 { return false }
            return first(of: session, hash) != nil
        }
    }

    /// Of any device.
    private func first(of session: UInt64, _ hash: UInt64) -> Int? {
        slots.number(hash) { pieces[$0].session == session }
    }

    private func first(of session: UInt64, _ device: Int64, _ ofKey: Int?) -> Int? {
        guard let ofKey, pieces[ofKey].device != device else { return ofKey }
        return alike[Session(key: session, device: device)]
    }

    /// Calls `body` with the pieces of each session, in order of their begins.
    /// Throws what `body` throws.
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
            var place = number
            while place >= 0 {
                some.append(pieces[place])
                place = Int(next[place])
            }
            some.sort { $0.fold.start < $1.fold.start }
            try body(some[...])
        }
    }
}

/// What one batch has of a session on one UTC day.
struct SessionPiece: Sendable {
    /// Row of the device.
    let device: Int64
    /// The session's key (`SegmentReader.sessions`).
    let session: UInt64
    /// Row of the batch's resource.
    let resource: Int64
    /// Of its events.
    let fold: SessionFold
}
