import JSON
import Testing

@Suite("text for a terminal")
struct PrintableTests {
    @Test(
        "what a terminal obeys is shown by its octets",
        arguments: [
            ("a\nb\u{1B}[31m", #"a\x0Ab\x1B[31m"#), ("\0\t\r", #"\x00\x09\x0D"#),
            ("\u{7F}\u{80}\u{9F}", #"\x7F\xC2\x80\xC2\x9F"#),
            ("a\u{61C}b", #"a\xD8\x9Cb"#), ("\u{200F}\u{2029}", #"\xE2\x80\x8F\xE2\x80\xA9"#),
            ("a\u{2028}b\u{202E}c", #"a\xE2\x80\xA8b\xE2\x80\xAEc"#),
            ("\u{200E}\u{2066}\u{2069}", #"\xE2\x80\x8E\xE2\x81\xA6\xE2\x81\xA9"#),
            // A line's end is one character, but two scalars.
            ("a\r\nb", #"a\x0D\x0Ab"#),
        ])
    func controls(text: String, shown: String) {
        #expect(Printable.text(text) == shown)
    }

    @Test(
        "every other text stays as it is",
        arguments: ["", "a b", "é", "e\u{301}", "日本", "👍🏽", "\u{61B}\u{61D}"])
    func others(text: String) {
        #expect(Printable.text(text).utf8.elementsEqual(text.utf8))
    }

    @Test("each of the first 256 scalars is a control or none by its class")
    func classes() {
        for value in UInt8.min...UInt8.max {
            let expected = value < 0x20 || (0x7F...0x9F).contains(value)
            #expect(Printable.isControl(Unicode.Scalar(value)) == expected, "\(value)")
        }
    }
}
