import Testing

@testable import JSON

private func parse(_ text: String, allowsZero: Bool = false) throws(Malformed) -> Tree {
    try Tree(Array(text.utf8).span, allowsZero: allowsZero)
}

@Suite("trees") struct TreeTests {
    @Test("strings and objects are kept, without escapes")
    func kept() throws {
        let tree = try parse(#" {"\u0061":"b\"c","inner":{"x":"é","deep":{"y":""}},"é":"z"} "#)
        #expect(Set(tree.names) == Set(["a", "inner", "é"].map { Array($0.utf8) }))
        #expect(tree["a"]?.text == Array("b\"c".utf8))
        #expect(tree["inner"]?["x"]?.text == Array("é".utf8))
        #expect(tree["inner"]?["deep"]?["y"]?.text == [])
        #expect(tree["é"]?.text == Array("z".utf8))
        #expect(tree["inner"]?.text == nil)
        #expect(tree["b"] == nil)
    }

    @Test(
        "what else there is, is there and is no string",
        arguments: ["1", "-0.5e3", "true", "false", "null", "[]", #"["a",{"b":"c"}]"#])
    func other(value: String) throws {
        let tree = try parse(#"{"a":\#(value),"b":"c"}"#)
        #expect(tree["a"] != nil)
        #expect(tree["a"]?.text == nil)
        #expect(tree["a"]?.names == [])
        #expect(tree["a"]?["b"] == nil)
        #expect(tree["b"]?.text == Array("c".utf8))
    }

    @Test("a text need not be an object")
    func scalars() throws {
        #expect(try parse(#""a""#).text == [97])
        #expect(try parse("5")["a"] == nil)
        #expect(try parse("5").text == nil)
    }

    @Test(
        "malformed texts are refused where they break",
        arguments: [
            ("", 0, Malformed.Rule.truncated), (#"{"a":1}x"#, 7, .trailing),
            (#"{"a":[1,]}"#, 8, .syntax), (#"{"a":{"b":1,"\u0062":2}}"#, 12, .duplicate),
            (#"{"a":{"b":tru}}"#, 13, .syntax), (#"{"a":[{"b":"\ud800"}]}"#, 12, .surrogate),
        ])
    func malformed(text: String, offset: Int, rule: Malformed.Rule) {
        #expect(throws: Malformed(offset: offset, rule: rule)) { try parse(text) }
    }

    @Test("depth is bounded", arguments: [(15, true), (16, false), (100_000, false)])
    func depth(inner: Int, isGood: Bool) {
        let objects =
            String(repeating: #"{"a":"#, count: inner) + "{}" + String(repeating: "}", count: inner)
        #expect(((try? parse(objects)) != nil) == isGood)
        let arrays = String(repeating: "[", count: inner) + String(repeating: "]", count: inner)
        #expect(((try? parse(#"{"a":\#(arrays)}"#)) != nil) == isGood)
    }

    @Test("an escaped U+0000 is for the caller to allow, a raw one is not")
    func zero() throws {
        let escaped = #"{"a\u0000":"b\u0000c"}"#
        #expect(throws: Malformed(offset: 3, rule: .zero)) { try parse(escaped) }
        let tree = try parse(escaped, allowsZero: true)
        #expect(tree["a\u{0}"]?.text == [98, 0, 99])
        #expect(throws: Malformed(offset: 6, rule: .zero)) {
            try parse("{\"a\":\"\u{0}\"}", allowsZero: true)
        }
    }

    @Test("names that differ in bytes are two, though a String takes them for equal")
    func canonicalEquivalence() throws {
        let tree = try parse("{\"e\u{301}\":\"1\",\"\u{e9}\":\"2\"}")
        #expect(tree.names.count == 2)
        #expect(tree["e\u{301}"]?.text == [49])
        #expect(tree["\u{e9}"]?.text == [50])
    }
}
