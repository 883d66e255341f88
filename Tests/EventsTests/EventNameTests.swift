import Events
import Testing

@Suite("Names of events")
struct EventNameTests {
    private func isValid(_ name: [UInt8]) -> Bool { EventName.isValid(name.span) }

    @Test(
        "good ones",
        arguments: [
            "a", "a1", "a_", "a.b.c", "a.1", "a._", "tap", "screen.viewed", "session.start.x",
            String(repeating: "a", count: 64), String(repeating: "a.", count: 31) + "aa",
        ])
    func good(_ name: String) { #expect(isValid(Array(name.utf8))) }

    @Test(
        "bad ones",
        arguments: [
            "", ".", "a.", ".a", "a..b", "1a", "_a", "Abc", "aBc", "a-b", "a b", "a ", " a", "a\n",
            "é", "café", "ａ", "α", "\u{212a}", "\u{131}", "a٣", "SESSION.START",
            String(repeating: "a", count: 65), String(repeating: "a.", count: 31) + "aaa",
        ])
    func bad(_ name: String) { #expect(!isValid(Array(name.utf8))) }

    @Test("each octet at the first, a middle and the last place", arguments: 0...255)
    func octets(_ value: Int) {
        let octet = UInt8(value)
        let letter = (0x61...0x7a).contains(octet)
        let inside = letter || (0x30...0x39).contains(octet) || octet == 0x5f
        #expect(isValid([octet, 0x61]) == letter)
        #expect(isValid([0x61, octet, 0x61]) == (inside || octet == 0x2e))
        #expect(isValid([0x61, octet]) == inside)
        #expect(isValid([0x61, 0x2e, octet]) == inside)
    }
}
