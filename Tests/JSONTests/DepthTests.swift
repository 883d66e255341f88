import JSON
import TestSupport
import Testing

/// A text may lie as deep as its scanner was told. Of each that is open a bit says whether it is an
/// object.
@Suite("depth")
struct DepthTests {
    /// Objects and arrays one in the other, with something after each.
    private struct Nest {
        /// From the outermost: whether it is an object.
        var kinds: [Bool]
        /// The depth of the object or array that ends with the other's bracket; 0: none.
        var wrong = 0
        /// The depth of the object one of whose names stands twice; 0: none.
        var doubled = 0
        /// How many names an object has.
        var names = 2

        var text: String {
            var text = kinds.map { $0 ? #"{"a":"# : "[" }.joined() + "0"
            for depth in (1...kinds.count).reversed() {
                let isObject = kinds[depth - 1]
                if isObject {
                    for name in 1..<names { text += ",\"a\(name)\":\(depth)" }
                    if depth == doubled { text += #","\u0061":1"# }
                } else {
                    text += ",true"
                }
                text += isObject != (depth == wrong) ? "}" : "]"
            }
            return text
        }
    }

    /// Objects and arrays in no order.
    private func kinds(_ count: Int, _ source: inout SplitMix) -> [Bool] {
        (0..<count).map { _ in Bool.random(using: &source) }
    }

    @Test("is at most 16 unless the scanner was told otherwise")
    func common() {
        #expect(Scanner.maxDepth == 16)
        for limit in [16, 1, 2, 63, 64, 65, 127, 128, 200, 255] {
            for (open, inner) in [("[", "1"), (#"{"a":"#, "{}")] {
                let count = inner == "{}" ? limit - 1 : limit
                let close = open == "[" ? "]" : "}"
                let good =
                    String(repeating: open, count: count) + inner
                    + String(repeating: close, count: count)
                let bad = String(repeating: open, count: limit) + (inner == "{}" ? "{}" : "[]")
                let expected = Malformed(offset: limit * open.utf8.count, rule: .depth)
                #expect(refusal(good, depthLimit: limit) == nil, "\(limit)")
                #expect(refusal(bad, depthLimit: limit) == expected, "\(limit)")
                if limit == 16 {
                    #expect(refusal(good) == nil && refusal(bad) == expected)
                }
            }
        }
    }

    @Test("200 is fine and 201 is not, whatever is mixed")
    func mixed() {
        var source = SplitMix(seed: 1)
        for _ in 0..<20 {
            let kinds = kinds(201, &source)
            #expect(refusal(Nest(kinds: Array(kinds.dropLast())).text, depthLimit: 200) == nil)
            let found = refusal(Nest(kinds: kinds).text, depthLimit: 200)
            #expect(found?.rule == .depth)
        }
    }

    @Test("a scanner that went deep is fit for the next text")
    func again() throws {
        var scanner = Scanner(depthLimit: 200)
        let deep = Array(Nest(kinds: Array(repeating: true, count: 200)).text.utf8)
        let arrays = Array(Nest(kinds: Array(repeating: false, count: 200)).text.utf8)
        for text in [deep, Array(deep.dropLast(300)), arrays, deep, Array("[{},[]]".utf8)] {
            try scanner.reset(text.span)
            let isWhole = (try? scanner.skipValue(text.span)) != nil
            #expect(isWhole == (text.count != deep.count - 300))
            if isWhole { #expect(scanner.depth == 0) }
        }
    }

    @Test(
        "each end has to be that of what is open, at every depth",
        arguments: [Array(1...20), Array(60...70), Array(120...135), Array(188...200)])
    func ends(depths: [Int]) {
        var source = SplitMix(seed: 2)
        for depth in depths {
            for _ in 0..<8 {
                let kinds = kinds(min(200, depth + Int.random(in: 0...3, using: &source)), &source)
                #expect(refusal(Nest(kinds: kinds).text, depthLimit: 200) == nil)
                let wrong = Nest(kinds: kinds, wrong: depth).text
                #expect(refusal(wrong, depthLimit: 200)?.rule == .syntax, "\(depth)")
                // The other kind at that depth alone.
                var other = kinds
                other[depth - 1].toggle()
                #expect(refusal(Nest(kinds: other).text, depthLimit: 200) == nil)
            }
        }
    }

    @Test("a name that stands twice is found at every depth", arguments: [2, 15, 16, 17, 40])
    func duplicates(names: Int) {
        var source = SplitMix(seed: 3)
        for depth in [1, 16, 17, 63, 64, 65, 127, 128, 129, 191, 192, 193, 199, 200] {
            var kinds = kinds(200, &source)
            kinds[depth - 1] = true
            let good = Nest(kinds: kinds, names: names)
            #expect(refusal(good.text, depthLimit: 200) == nil)
            let bad = Nest(kinds: kinds, doubled: depth, names: names)
            #expect(refusal(bad.text, depthLimit: 200)?.rule == .duplicate, "\(depth)")
        }
    }

    @Test("the same names at every depth are no duplicates, in large objects too")
    func sameNames() {
        let kinds = Array(repeating: true, count: 200)
        #expect(refusal(Nest(kinds: kinds, names: 30).text, depthLimit: 200) == nil)
    }
}
