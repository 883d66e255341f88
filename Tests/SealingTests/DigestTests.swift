import Testing

@testable import Sealing

@Suite("digests and derived keys") struct DigestTests {
    @Test(
        "SHA-256 of nothing and of abc (FIPS 180-4)",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func sha256(text: String, digest: String) {
        let made = Hashing.sha256(Array(text.utf8).span)
        #expect(made.hex == digest)
        #expect(made.bytes == hex(digest))
        #expect(Digest256(bytes: hex(digest).span) == made)
        #expect(Digest256(bytes: hex(digest).span.extracting(first: 31)) == nil)
    }

    @Test(
        "SHA-1 of nothing and of abc (FIPS 180-4)",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ])
    func sha1(text: String, digest: String) {
        #expect(Hashing.sha1(Array(text.utf8).span) == hex(digest))
    }

    @Test(
        "MD5 of nothing and of abc (RFC 1321, appendix A.5)",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            (
                String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func md5(text: String, digest: String) {
        #expect(Hashing.md5(Array(text.utf8).span) == hex(digest))
    }

    static let codes: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size \
                data. The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("HMAC-SHA-256 (RFC 4231 §4), at once, in pieces and again", arguments: 0..<6)
    func hmac(place: Int) {
        let (key, message, code) = Self.codes[place]
        let hmac = HMACSHA256(key: key.span)
        #expect(hmac.authenticate(message.span).hex == code)
        for split in 0...message.count {
            hmac.begin()
            hmac.update(message.span.extracting(first: split))
            hmac.update(message.span.extracting(split..<message.count))
            #expect(hmac.finish().hex == code)
        }
    }

    static let derived: [(secret: [UInt8], salt: [UInt8], info: [UInt8], made: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 22), Array(0x00...0x0c), Array(0xf0...0xf9),
            """
            3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
            """
        ),
        (
            Array(0x00...0x4f), Array(0x60...0xaf), Array(0xb0...0xff),
            """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6\
            5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
            """
        ),
        (
            [UInt8](repeating: 0x0b, count: 22), [], [],
            """
            8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
            """
        ),
    ]

    @Test("HKDF with SHA-256 (RFC 5869, appendix A)", arguments: 0..<3)
    func hkdf(place: Int) {
        let (secret, salt, info, made) = Self.derived[place]
        let count = made.utf8.count / 2
        let out = HKDF.sha256(
            secret: secret.span, salt: salt.span, info: info.span, count: count)
        #expect(out == hex(made))
        for shorter in 0..<count {
            #expect(
                HKDF.sha256(
                    secret: secret.span, salt: salt.span, info: info.span, count: shorter)
                    == Array(out[..<shorter]))
        }
    }

    @Test("digests are equal only where every byte is")
    func equality() {
        let one = [UInt8](0..<32)
        #expect(Digest256(bytes: one.span) == Digest256(bytes: one.span))
        for place in one.indices {
            var other = one
            other[place] ^= 0x80
            #expect(Digest256(bytes: one.span) != Digest256(bytes: other.span))
        }
    }

    @Test("random octets are as many as asked for, and others each time")
    func random() {
        for count in [0, 1, 16, 300] { #expect(RandomBytes.make(count).count == count) }
        #expect(RandomBytes.make(16) != RandomBytes.make(16))
    }
}
