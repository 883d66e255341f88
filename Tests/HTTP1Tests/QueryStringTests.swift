import HTTP1
import Testing

@Suite("query strings") struct QueryStringTests {
    private func pairs(_ query: [UInt8]) -> [[[UInt8]?]] {
        QueryString.pairs(query).map { [$0.name, $0.value] }
    }

    @Test(
        "names and values are decoded as forms are",
        arguments: [
            ("a=b", [["a", "b"]]), ("a=b&c=d", [["a", "b"], ["c", "d"]]), ("", []), ("&&", []),
            ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=b", [["", "b"]]),
            ("a=b=c", [["a", "b=c"]]),
            ("a+b=c+d", [["a b", "c d"]]), ("%61=%2B%26%3d", [["a", "+&="]]),
            ("k=%D0%BA+%3D%3a", [["k", "к =:"]]), ("a=1&a=2", [["a", "1"], ["a", "2"]]),
            ("k=\u{43A}", [["k", "\u{43A}"]]), ("a=%00", [["a", "\u{0}"]]),
        ])
    func decoding(query: String, expected: [[String]]) {
        #expect(pairs(Array(query.utf8)) == expected.map { $0.map { Array($0.utf8) } })
    }

    @Test(
        "an escape that is none makes its name or value undecodable, and no other",
        arguments: ["%", "%2", "%zz", "%2%30", "%+1", "% 1", "%1", "a%", "%g0", "%0g", "%%30"])
    func undecodable(text: String) {
        let a: [UInt8] = [97]
        #expect(pairs(Array("a=a&a=\(text)&a=a".utf8)) == [[a, a], [a, nil], [a, a]])
        #expect(pairs(Array("\(text)=a&a".utf8)) == [[nil, a], [a, []]])
    }

    @Test("every byte is what it stands for")
    func allBytes() {
        for byte in 0...UInt8.max {
            let digits = Array("0123456789abcdef".utf8)
            let escape = [37, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            #expect(pairs([97, 61] + escape) == [[[97], [byte]]])
            guard ![37, 38, 43].contains(byte) else { continue }
            #expect(pairs([97, 61, byte]) == [[[97], [byte]]])
        }
    }
}
