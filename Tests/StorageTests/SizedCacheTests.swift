import Testing

@testable import Storage

@Suite("SizedCache")
struct SizedCacheTests {
    @Test("holds what was asked for of late, and never more bytes than it may")
    func bound() {
        var cache = SizedCache<Int, Int>(bytes: 40_000)
        for key in 0..<1000 {
            cache.put(key, key, size: 900)
            #expect(cache.value(key) == key)
            // Asked for again and again, it stays.
            if key > 0 { #expect(cache.value(0) == 0) }
        }
        let left = (0..<1000).count { cache.value($0) != nil }
        #expect((30...40).contains(left))
    }

    @Test(
        "finds all of what fits again, and a part of a little more",
        arguments: [30, 38, 44])
    func rounds(keys: Int) {
        var cache = SizedCache<Int, Int>(bytes: 40_000)
        var found = 0
        for round in 0..<40 {
            for key in 0..<keys {
                if cache.value(key) == key {
                    if round >= 10 { found += 1 }
                } else {
                    cache.put(key, key, size: 904)
                }
            }
        }
        // 40 of a thousand bytes each fit.
        #expect(keys <= 40 ? found == 30 * keys : found > 30 * keys / 5, "\(found)")
    }

    @Test("does not take what is larger than half of the room")
    func tooLarge() {
        var cache = SizedCache<Int, Int>(bytes: 40_000)
        cache.put(1, 1, size: 100)
        cache.put(2, 2, size: 20_000)
        #expect(cache.value(1) == 1)
        #expect(cache.value(2) == nil)
    }

    @Test("counts what replaces another once")
    func replaced() {
        var cache = SizedCache<Int, Int>(bytes: 40_000)
        cache.put(1, 1, size: 100)
        for number in 0..<1000 { cache.put(2, number, size: 10_000) }
        #expect(cache.value(1) == 1)
        #expect(cache.value(2) == 999)
    }

    @Test("holds no more than others leave, and forgets when they need more")
    func room() {
        let room = CacheRoom()
        var cache = SizedCache<Int, Int>(bytes: 100_000, room: room)
        for key in 0..<20 { cache.put(key, key, size: 904) }
        #expect(room.bytes == 20_000)
        room.leave(10_000)
        cache.put(20, 20, size: 904)
        #expect(cache.value(20) == nil && room.bytes == 20_000)
        cache.forget()
        #expect(room.bytes == 0 && cache.value(3) == nil)
        for key in 0..<20 { cache.put(key, key, size: 904) }
        #expect(room.bytes == 10_000 && cache.value(9) == 9 && cache.value(10) == nil)
    }
}
