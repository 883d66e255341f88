import Events

/// Pieces of sessions, found by session: the device and the hash of the session's id. Two ids of one
/// device with the same 64 bits would count as one session.
struct SessionPieces {
    private var pieces: [SessionPiece] = []
    /// The next piece of the same session; −1 behind the last. The first one's second is the one that came
    /// last.
    private var next: [Int32] = []
    /// Whether a piece is the first of its session that came.
    private var isFirst: [Bool] = []
    /// The first piece of a session + 1, below 32 bits of its hash; 0 is free. A power of two, at least
    /// twice as many as pieces.
    private var slots = [UInt64](repeating: 0, count: 1 << 12)
    /// Bits of the sessions' hashes: most that is not here is told by them.
    private var bits = [UInt64](repeating: 0, count: 1 << 14)
    private static let bitMask: UInt64 = (1 << 20) - 1

    /// How many there are.
    var count: Int { pieces.count }

    /// Adds one.
    mutating func add(_ piece: SessionPiece) {
        if (pieces.count + 1) * 2 > slots.count { grow() }
        let hash = Self.mixed(piece.session, piece.device)
        let slot = slot(of: piece.session, piece.device, hash)
        let number = Int32(truncatingIfNeeded: pieces.count)
        pieces.append(piece)
        if slots[slot] != 0 {
            let first = Int(UInt32(truncatingIfNeeded: slots[slot])) - 1
            next.append(next[first])
            next[first] = number
            isFirst.append(false)
            return
        }
        next.append(-1)
        isFirst.append(true)
        slots[slot] = hash & ~0xffff_ffff | UInt64(pieces.count)
        let bit = hash >> 40 & Self.bitMask
        bits[Int(bit >> 6)] |= 1 << (bit & 63)
    }

    /// False only where there is none of the session.
    @inline(__always)
    func mayContain(_ session: UInt64, of device: Int64) -> Bool {
        let bit = Self.mixed(session, device) >> 40 & Self.bitMask
        return bits[Int(bit >> 6)] >> (bit & 63) & 1 == 1
    }

    /// Whether there is one of the session.
    func contains(_ session: UInt64, of device: Int64) -> Bool {
        slots[slot(of: session, device, Self.mixed(session, device))] != 0
    }

    /// Calls `body` with the pieces of each session, in order of their begins.
    func forEachSession(_ body: (ArraySlice<SessionPiece>) -> Void) {
        var some: [SessionPiece] = []
        for number in pieces.indices where isFirst[number] {
            if next[number] < 0 {
                body(pieces[number...number])
                continue
            }
            some.removeAll(keepingCapacity: true)
            var place = number
            while place >= 0 {
                some.append(pieces[place])
                place = Int(next[place])
            }
            some.sort { $0.fold.start < $1.fold.start }
            body(some[...])
        }
    }

    /// Where a session is, or would be. Most others are told by their hashes, without a look at a piece.
    private func slot(of session: UInt64, _ device: Int64, _ hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 32) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash >> 32 {
                let piece = pieces[Int(UInt32(truncatingIfNeeded: slots[slot])) - 1]
                if piece.session == session, piece.device == device { return slot }
            }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        for entry in old where entry != 0 {
            var slot = Int(truncatingIfNeeded: entry >> 32) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = entry
        }
    }

    /// Of this process: so that ids cannot be chosen to stand in each other's way.
    private static let secret = UInt64.random(in: 0...(.max))

    @inline(__always)
    private static func mixed(_ session: UInt64, _ device: Int64) -> UInt64 {
        let mixed = (session ^ secret) &+ UInt64(bitPattern: device) &* 0x9e37_79b9_7f4a_7c15
        return (mixed ^ mixed >> 32) &* 0xd6e8_feb8_6659_fd93
    }
}
