import JSON
import Testing

@testable import Ingest

@Suite("Interner")
struct InternerTests {
    private func number(_ text: String, hash: UInt64, in interner: inout Interner) -> Int {
        let octets = Array(text.utf8)
        return interner.intern(octets.span, 0, octets.count, hash: hash)
    }

    @Test("texts of one hash are told apart by every octet")
    func collisions() {
        var interner = Interner(hash: .process)
        for length in 1...40 {
            let text = String(repeating: "a", count: length)
            let first = number(text, hash: 7, in: &interner)
            #expect(number(text, hash: 7, in: &interner) == first)
            for place in 0..<length {
                var other = Array(text.utf8)
                other[place] = 0x62
                let second = interner.intern(other.span, 0, length, hash: 7)
                #expect(second != first)
                #expect(interner.intern(other.span, 0, length, hash: 7) == second)
            }
        }
    }

    @Test("fixed texts keep their numbers, however many others come and go")
    func fixed() {
        let hash = TextHash.process
        let texts = ["session.id", "x", ""]
        var interner = Interner(hash: hash, fixed: texts)
        for others in [0, 10, 100, 10_000, 3] {
            for other in 0..<others {
                let octets = Array("other\(other)".utf8)
                let hashed = hash.hash(octets.span, 0, octets.count)
                #expect(
                    interner.intern(octets.span, 0, octets.count, hash: hashed)
                        == texts.count + other)
            }
            for (place, text) in texts.enumerated() {
                let octets = Array(text.utf8)
                let hashed = hash.hash(octets.span, 0, octets.count)
                #expect(interner.find(octets.span, 0, octets.count, hash: hashed) == place)
            }
            interner.reset()
            let gone = Array("other0".utf8)
            #expect(
                interner.find(gone.span, 0, gone.count, hash: hash.hash(gone.span, 0, gone.count))
                    == -1)
        }
    }

    @Test("places are given in order of use and can be taken back")
    func places() {
        var interner = Interner(hash: .process, fixed: ["a", "b"])
        let third = number("c", hash: 1, in: &interner)
        #expect(interner.storedIndex(third) == 0)
        #expect(interner.storedIndex(0) == 1)
        #expect(interner.storedIndex(third) == 0)
        #expect(interner.storedTexts() == ["c", "a"])
        interner.removeStored(from: 1)
        #expect(interner.storedIndex(1) == 1)
        #expect(interner.storedIndex(0) == 2)
        #expect(interner.storedTexts() == ["c", "b", "a"])
        #expect(interner.storedJSON() == Array(#"["c","b","a"]"#.utf8))
        interner.reset()
        #expect(interner.storedCount == 0)
        #expect(interner.storedJSON() == nil)
        #expect(interner.storedIndex(1) == 0)
    }
}
