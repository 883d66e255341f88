import Testing

@testable import Sealing

@Suite("base64url and hex") struct TextTests {
    @Test(
        "base64url (RFC 4648 §10, without padding)",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func base64url(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8).span) == text)
        #expect(Base64URL.decode(Array(text.utf8).span) == Array(plain.utf8))
    }

    @Test(
        "base64url is refused with padding, stray bits, white space or other digits",
        arguments: [
            "Z", "Zg=", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm9vYh", "Z g", "Zg\n", "+_", "-/", "Zm=v",
            "ä",
            "Zm9vZ", "Zm9v====",
        ])
    func strict(text: String) {
        #expect(Base64URL.decode(Array(text.utf8).span) == nil)
    }

    @Test("every octet and every place of a digit", arguments: 1...8)
    func digits(count: Int) {
        let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for place in 0..<count {
            for octet in UInt8.min...UInt8.max {
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: count)
                text[place] = octet
                let decoded = Base64URL.decode(text.span)
                if let decoded { #expect(Array(Base64URL.encode(decoded.span).utf8) == text) }
                if !digits.contains(octet) || count % 4 == 1 {
                    #expect(decoded == nil)
                } else if place < count - 1 || count % 4 == 0 {
                    #expect(decoded != nil)
                }
            }
        }
    }

    @Test("hex of either case, whole octets only")
    func hexadecimal() {
        #expect(Hex.encode([0, 0x7f, 0xab, 0xff].span) == "007fabff")
        #expect(Hex.decode(Array("007fAbfF".utf8).span) == [0, 0x7f, 0xab, 0xff])
        for text in ["0", "000", "0g", "g0", " 00", "00 ", "0x00", "/0", ":0", "@0", "`0"] {
            #expect(Hex.decode(Array(text.utf8).span) == nil)
        }
    }
}

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 §10, and the two digits that base64url has others for.
    @Test(
        "published vectors",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~>", "fn4+"), ("~~?", "fn4/"),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base64.encode(Array(plain.utf8).span) == text)
    }
}
