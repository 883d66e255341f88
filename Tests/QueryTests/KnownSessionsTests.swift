import Testing

@testable import Query
@testable import Storage

@Suite("What is known of sessions")
struct KnownSessionsTests {
    private let segment = SegmentCache.Segment(row: 1, checksum: 2)

    private func sessions(recurring index: Int? = nil) -> KnownSessions.Sessions {
        var bits = [UInt64](repeating: 0, count: 16)
        if let index { bits[index >> 6] |= 1 << UInt64(index & 63) }
        return KnownSessions.Sessions(
            recurring: bits, keys: ShortKeys((0..<1000).map { UInt64($0) }))
    }

    @Test("gives back its keys first, and all of it only where there is no room for it alone")
    func room() throws {
        let room = CacheRoom()
        let all = KnownSessions(room)
        let kept = all.keep([segment: sessions()], of: 7)
        #expect(kept.keys != nil && room.bytes > 4000)
        // Others take most of the room.
        room.add(10_000)
        room.leave(2000)
        #expect(all.known(of: 7) === kept && kept.keys == nil && room.bytes - 10_000 < 1000)
        #expect(kept.recurring(of: segment)?.count == 16)
        room.add(-10_000)
        let again = all.keep([segment: sessions()], of: 7)
        #expect(all.known(of: 7) === again && again.keys == nil && again !== kept)
        room.leave(100)
        #expect(all.known(of: 7) == nil)
        #expect(all.keep([segment: sessions()], of: 7).recurring(of: segment) != nil)
        #expect(all.known(of: 7) == nil && kept.bytes + again.bytes == room.bytes)
    }

    @Test("takes keys back where there is room for them")
    func keysAgain() {
        let room = CacheRoom()
        let all = KnownSessions(room)
        let known = all.keep([segment: sessions()], of: 7)
        let bytes = room.bytes
        #expect(known.hasRoomForKeys)
        room.leave(2000)
        #expect(known.keys == nil && !known.hasRoomForKeys)
        room.leave(bytes)
        #expect(known.hasRoomForKeys)
        #expect(known.keep([segment: ShortKeys((0..<1000).map { UInt64($0) })]) != nil)
        #expect(all.known(of: 7)?.keys != nil && room.bytes == bytes)
        let none = KnownSessions(CacheRoom()).keep(
            [segment: KnownSessions.Sessions(recurring: [0], keys: nil)], of: 7)
        #expect(none.keys == nil && !none.hasRoomForKeys)
    }

    @Test("counts keys as long as a report has them")
    func keysInUse() throws {
        let room = CacheRoom()
        let all = KnownSessions(room)
        var keys = all.keep([segment: sessions()], of: 7).keys
        room.leave(2000)
        #expect(all.known(of: 7)?.keys == nil && room.bytes > 4000)
        withExtendedLifetime(keys) {}
        keys = nil
        #expect(room.bytes < 1000)
    }

    @Test("says in which segments other pieces of sessions may be")
    func mayHold() throws {
        let none = ShortKeys.Filter(for: 1, .unbounded)
        var (third, fourth) = (none, none)
        third.insert(3)
        fourth.insert(4)
        // The key of index 3 comes again, the one of index 4 does not.
        let known = KnownSessions(CacheRoom()).keep([segment: sessions(recurring: 3)], of: 7)
        let keys = try #require(known.keys)
        #expect(!known.mayHold(none, segment, keys, orNew: nil))
        #expect(known.mayHold(third, segment, keys, orNew: nil))
        #expect(!known.mayHold(fourth, segment, keys, orNew: nil))
        #expect(known.mayHold(fourth, segment, keys, orNew: fourth))
        let other = SegmentCache.Segment(row: 3, checksum: 2)
        #expect(known.mayHold(none, other, keys, orNew: nil))
    }
}
