import Testing

@testable import Service

@Suite("what a head came to")
struct LastParsedTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("is known of exactly the same bytes")
    func same() {
        var known = LastParsed<Int>()
        let (type, coding) = (bytes("application/json"), bytes("gzip"))
        #expect(known.value(of: [UInt8]().span) == nil)
        known.keep(7, of: type.span, coding.span)
        #expect(known.value(of: type.span, coding.span) == 7)
        #expect(known.value(of: type.span) == nil)
        #expect(known.value(of: coding.span, type.span) == nil)
        #expect(known.value(of: bytes("application/jose").span, coding.span) == nil)
        #expect(known.value(of: bytes("application/jso").span, coding.span) == nil)
        #expect(known.value(of: type.span, bytes("GZIP").span) == nil)
    }

    @Test("is forgotten for what came later, unless that is long")
    func later() {
        var known = LastParsed<Int>()
        let (first, second) = (bytes("/a"), bytes("/b"))
        known.keep(1, of: first.span)
        known.keep(2, of: second.span)
        #expect(known.value(of: first.span) == nil && known.value(of: second.span) == 2)
        let long = [UInt8](repeating: 0x61, count: 257)
        known.keep(3, of: long.span)
        #expect(known.value(of: long.span) == nil && known.value(of: second.span) == 2)
    }
}
