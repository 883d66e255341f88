import Testing

@testable import Storage

@Suite("the cache of codes")
struct GenerationCacheTests {
    @Test("it never holds more than its capacity, and keeps what is asked for")
    func bounded() {
        var cache = GenerationCache<Int, Int>(capacity: 100)
        cache.put(-1, 7)
        for number in 0..<10_000 {
            cache.put(number, number)
            #expect(cache.value(-1) == 7)
            #expect(cache.count <= 100)
            #expect(cache.value(number) == number)
        }
        #expect(cache.value(5) == nil)
    }

    @Test("a value put again replaces the old one, in either generation")
    func replaces() {
        var cache = GenerationCache<Int, Int>(capacity: 4)
        for number in 0..<3 { cache.put(number, number) }
        for number in 0..<3 { cache.put(number, -number) }
        for number in 0..<3 { #expect([nil, -number].contains(cache.value(number))) }
        cache.removeAll()
        #expect(cache.count == 0 && cache.value(2) == nil)
    }
}
