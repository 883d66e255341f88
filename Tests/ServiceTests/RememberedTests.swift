import Testing

@testable import Service

@Suite("what a head came to")
struct RememberedTests {
    private func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("is known of exactly the same octets")
    func same() {
        var known = Remembered<Int>()
        let (type, coding) = (octets("application/json"), octets("gzip"))
        #expect(known.value(of: [UInt8]().span) == nil)
        known.keep(7, of: type.span, coding.span)
        #expect(known.value(of: type.span, coding.span) == 7)
        #expect(known.value(of: type.span) == nil)
        #expect(known.value(of: coding.span, type.span) == nil)
        #expect(known.value(of: octets("application/jose").span, coding.span) == nil)
        #expect(known.value(of: octets("application/jso").span, coding.span) == nil)
        #expect(known.value(of: type.span, octets("GZIP").span) == nil)
    }

    @Test("is forgotten for what came later, unless that is long")
    func later() {
        var known = Remembered<Int>()
        let (first, second) = (octets("/a"), octets("/b"))
        known.keep(1, of: first.span)
        known.keep(2, of: second.span)
        #expect(known.value(of: first.span) == nil && known.value(of: second.span) == 2)
        let long = [UInt8](repeating: 0x61, count: 257)
        known.keep(3, of: long.span)
        #expect(known.value(of: long.span) == nil && known.value(of: second.span) == 2)
    }
}
