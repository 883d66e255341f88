import Events

/// Pieces of sessions, found by session: the device and the hash of the session's id. Two ids of one
/// device with the same 64 bits would count as one session.
struct SessionPieces {
    private var pieces: [SessionPiece] = []
    /// The piece of the same session that came before; −1 for the first.
    private var previous: [Int32] = []
    /// Piece + 1, of each session the last one; 0 is free. A power of two, at least twice as many as
    /// pieces.
    private var slots = [UInt32](repeating: 0, count: 1 << 12)
    /// Bits of the sessions' hashes: most that is not here is told by them.
    private var bits = [UInt64](repeating: 0, count: 1 << 14)
    private static let bitMask: UInt64 = (1 << 20) - 1

    /// How many there are.
    var count: Int { pieces.count }

    /// Adds one.
    mutating func add(_ piece: SessionPiece) {
        if (pieces.count + 1) * 2 > slots.count { grow() }
        let slot = slot(of: piece.session, piece.device)
        previous.append(Int32(truncatingIfNeeded: slots[slot]) - 1)
        pieces.append(piece)
        slots[slot] = UInt32(truncatingIfNeeded: pieces.count)
        let bit = Self.mixed(piece.session, piece.device) >> 40 & Self.bitMask
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
        slots[slot(of: session, device)] != 0
    }

    /// Calls `body` with the pieces of each session, in order of their begins.
    func forEachSession(_ body: (ArraySlice<SessionPiece>) -> Void) {
        var some: [SessionPiece] = []
        for slot in slots where slot != 0 {
            some.removeAll(keepingCapacity: true)
            var place = Int32(truncatingIfNeeded: slot) - 1
            while place >= 0 {
                some.append(pieces[Int(place)])
                place = previous[Int(place)]
            }
            if some.count > 1 { some.sort { $0.fold.start < $1.fold.start } }
            body(some[...])
        }
    }

    private func slot(of session: UInt64, _ device: Int64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: Self.mixed(session, device)) & mask
        while slots[slot] != 0 {
            let piece = pieces[Int(slots[slot]) - 1]
            if piece.session == session, piece.device == device { return slot }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 {
            let piece = pieces[Int(entry) - 1]
            slots[slot(of: piece.session, piece.device)] = entry
        }
    }

    @inline(__always)
    private static func mixed(_ session: UInt64, _ device: Int64) -> UInt64 {
        (session ^ UInt64(bitPattern: device) &* 0x9e37_79b9_7f4a_7c15) &* 0xd6e8_feb8_6659_fd93
    }
}
