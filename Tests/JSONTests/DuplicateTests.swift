import JSON
import TestSupport
import Testing

@Suite("Duplicate members")
struct DuplicateTests {
    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }

    @Test(
        "are found among any number of members",
        arguments: [1, 2, 15, 16, 17, 18, 63, 64, 65, 1000])
    func anyNumber(_ count: Int) {
        let names = (0..<count).map { "key\($0)" }
        #expect(refusal(object(names)) == nil)
        let last = object(names).utf8.count
        for place in [0, count / 2, count - 1] {
            let found = refusal(object(names + [names[place]]))
            #expect(found == Malformed(offset: last, rule: .duplicate))
        }
    }

    @Test("an inner object does not disturb the outer one's names", arguments: [3, 40])
    func nested(_ count: Int) {
        let names = (0..<count).map { "k\($0)" }
        let inner = object(names)
        let members = names.map { "\"\($0)\":\(inner)" }.joined(separator: ",")
        #expect(refusal("{\(members)}") == nil)
        let end = "{\(members)".utf8.count
        #expect(
            refusal("{\(members),\"k0\":1}") == Malformed(offset: end + 1, rule: .duplicate))
    }

    @Test("escaped and raw names are the same among many")
    func escapedAmongMany() {
        let names = (0..<100).map { "n\($0)" }
        #expect(refusal(object(names + [#"\u006e99"#]))?.rule == .duplicate)
        #expect(refusal(object(names + [#"\u006e100"#])) == nil)
    }

    @Test("a scanner that met a huge object is fit for small ones")
    func afterHuge() throws {
        var scanner = Scanner()
        let huge = Array(object((0..<40_000).map(String.init)).utf8)
        let small = Array(object((0..<20).map(String.init)).utf8)
        for text in [huge, small, huge, small] {
            try scanner.reset(text.span)
            try scanner.skipValue(text.span)
            try scanner.finish(text.span)
        }
    }

    @Test("a large object costs no more for each member than a small one")
    func linear() {
        let text = Array(object((0..<160_000).map(String.init)).utf8)
        let time = threadTime { #expect(refusal(text) == nil) }
        // Takes a fraction of a second; comparing each with each takes minutes.
        #expect(time < .seconds(20))
    }
}
