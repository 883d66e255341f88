import Testing

@testable import Query
@testable import Storage

@Suite("What is known of sessions")
struct KnownSessionsTests {
    private let segment = SegmentCache.Segment(row: 1, checksum: 2)

    @Test("has keys only where there is room for them, and is nothing where there is none")
    func room() throws {
        let keys = (0..<1000).map { UInt64($0) }
        let sessions = KnownSessions.Sessions(
            recurring: [UInt64](repeating: 0, count: 16), keys: ShortKeys(keys))
        let room = CacheRoom()
        let all = KnownSessions(room)
        #expect(all.keep([segment: sessions], of: 7).sessions(of: segment)?.keys?.all.count == 1000)
        room.leave(2000)
        #expect(all.known(of: 7) == nil && room.bytes == 0)
        let kept = all.keep([segment: sessions], of: 7)
        #expect(all.known(of: 7) === kept && room.bytes < 1000)
        let known = try #require(kept.sessions(of: segment))
        #expect(known.recurring.count == 16 && known.keys == nil)
        // Whoever has no keys may have any.
        let none = ShortKeys.Filter(for: 1, .unbounded)
        #expect(known.contains(anyOf: none, orNew: nil))
        #expect(!sessions.contains(anyOf: none, orNew: nil))
        // The key of index 3 comes again, the one of index 4 does not.
        let recurring = KnownSessions.Sessions(
            recurring: [1 << 3] + [UInt64](repeating: 0, count: 15), keys: ShortKeys(keys))
        var (third, fourth) = (none, none)
        third.insert(3)
        fourth.insert(4)
        #expect(!recurring.contains(anyOf: none, orNew: nil))
        #expect(recurring.contains(anyOf: third, orNew: nil))
        #expect(!recurring.contains(anyOf: fourth, orNew: nil))
        #expect(recurring.contains(anyOf: fourth, orNew: fourth))
        room.leave(100)
        #expect(all.keep([segment: sessions], of: 7).sessions(of: segment)?.keys == nil)
        #expect(all.known(of: 7) == nil)
    }
}
