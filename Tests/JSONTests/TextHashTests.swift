import JSON
import Testing

@Suite("Hash of texts")
struct TextHashTests {
    @Test("depends on every octet and the length, at every length")
    func everyOctet() {
        let hash = TextHash(first: 0x9e37_79b9_7f4a_7c15, second: 0xbf58_476d_1ce4_e5b9)
        for length in 0..<70 {
            var text = (0..<length).map { UInt8($0) }
            var seen: Set<UInt64> = [hash.hash(text.span, 0, length)]
            for place in 0..<length {
                text[place] ^= 0x80
                seen.insert(hash.hash(text.span, 0, length))
                text[place] ^= 0x80
            }
            #expect(seen.count == length + 1)
        }
    }

    @Test("is the same wherever the text stands")
    func place() {
        let hash = TextHash.process
        for length in 0..<40 {
            let text = (0..<length).map { UInt8($0) }
            let inside = [1, 2, 3] + text + [4, 5]
            #expect(
                hash.hash(text.span, 0, length) == hash.hash(inside.span, 3, 3 + length))
        }
    }

    @Test("has other values with other secrets")
    func secrets() {
        let text = Array("session.id".utf8)
        let values = (0..<100).map {
            TextHash(first: $0, second: 0xbf58_476d_1ce4_e5b9).hash(text.span, 0, text.count)
        }
        #expect(Set(values).count == 100)
    }

    @Test("spreads texts that differ little over the low bits")
    func spread() {
        let hash = TextHash.process
        var slots = [Int](repeating: 0, count: 1024)
        for number in 0..<10_240 {
            let text = Array("k\(number)".utf8)
            slots[Int(hash.hash(text.span, 0, text.count) & 1023)] += 1
        }
        #expect((slots.max() ?? 0) < 40)
    }
}
