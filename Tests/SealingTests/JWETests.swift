import TestSupport
import Testing

@testable import Sealing

/// Opens with a fresh scratch; nil where it is refused.
private func open(_ body: [UInt8], key: PrivateKey) -> [UInt8]? {
    var scratch = [UInt8]()
    do throws(SealError) {
        let header = try JWE.Header.parse(body.span)
        let count = try JWE().open(body.span, header: header, key: key, into: &scratch)
        return Array(scratch[..<count])
    } catch { return nil }
}

/// The five parts with some of them replaced.
private func replaced(_ text: String, _ place: Int, by part: String) -> [UInt8] {
    var parts = text.split(separator: ".", omittingEmptySubsequences: false)
    parts[place] = Substring(part)
    return Array(parts.joined(separator: ".").utf8)
}

@Suite("JWE") struct JWETests {
    let bob: PrivateKey
    let rsa: PrivateKey

    init() throws {
        bob = try PrivateKey(pem: Array(PublishedKeys.agreeing.utf8).span)
        rsa = try PrivateKey(pem: Array(PublishedKeys.wrapping.utf8).span)
    }

    @Test("Concat KDF of a direct agreement (RFC 7518, appendix C)")
    func concatKDF() {
        let point =
            [4] + base64url("gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0")
            + base64url("SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps")
        let shared = bob.agree(with: point.span)
        #expect(shared?.prefix(4) == [158, 86, 217, 29])
        let key = ConcatKDF.derive(
            shared ?? [], for: .a128GCM, partyU: Array("Alice".utf8), partyV: Array("Bob".utf8))
        #expect(key == base64url("VqqN6vgjbSBcIijNcacQGg"))
    }

    @Test("content encryption of RFC 7516, appendix A.1")
    func contentEncryption() {
        let parts = Vectors.printed.split(separator: ".").map(String.init)
        let key: [UInt8] = [
            177, 161, 244, 128, 84, 143, 225, 115, 63, 180, 3, 255, 107, 154, 212, 246, 138, 7, 110,
            91, 112, 46, 34, 105, 47, 130, 203, 46, 122, 234, 64, 252,
        ]
        let content = Vectors.content
        let sealed = AESGCM(.bits256).seal(
            content.span, key: key.span, nonce: base64url(parts[2]).span,
            associated: Array(parts[0].utf8).span)
        #expect(sealed == base64url(parts[3]) + base64url(parts[4]))
    }

    @Test("RSA-OAEP with SHA-1, as RFC 7516 prints it, is refused")
    func printed() {
        #expect(open(Array(Vectors.printed.utf8), key: rsa) == nil)
    }

    @Test(
        "bodies of another implementation open",
        arguments: [
            (Vectors.agreed128, true), (Vectors.agreed256, true), (Vectors.wrapped128, false),
        ])
    func others(text: String, isCurve: Bool) throws {
        let body = Array(text.utf8)
        let header = try JWE.Header.parse(body.span)
        #expect(header.keyID == Array((isCurve ? "bob" : "rsa").utf8))
        #expect(header.algorithm == (isCurve ? .ecdhES : .rsaOAEP256))
        #expect(header.isCompressed == (text == Vectors.agreed256))
        let opened = open(body, key: isCurve ? bob : rsa)
        // Deflated content is the caller's to inflate.
        #expect(opened != nil)
        if !header.isCompressed { #expect(opened == Vectors.content) }
        #expect(open(Array(Vectors.wrapped256.utf8), key: rsa) == Vectors.content)
    }

    @Test(
        "what was sealed opens, by both algorithms and encryptions",
        arguments: KeyAlgorithm.allCases)
    func roundTrip(algorithm: KeyAlgorithm) throws {
        let key = algorithm == .ecdhES ? bob : rsa
        let jwe = JWE()
        var scratch = [UInt8]()
        for encryption in ContentEncryption.allCases {
            for count in [0, 1, 2, 3, 16, 1000, 70_000] {
                let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let body = JWE.seal(
                    plain.span, keyID: "k-1", key: key.publicKey, encryption: encryption,
                    isCompressed: count == 3)
                let header = try JWE.Header.parse(body.span)
                #expect(header.keyID == Array("k-1".utf8))
                #expect(header.algorithm == algorithm)
                #expect(header.encryption == encryption)
                #expect(header.isCompressed == (count == 3))
                let made = try jwe.open(body.span, header: header, key: key, into: &scratch)
                #expect(Array(scratch[..<made]) == plain)
            }
        }
    }

    @Test("every changed digit is undecodable", arguments: [Vectors.agreed128, Vectors.wrapped256])
    func flips(text: String) {
        let body = Array(text.utf8)
        let key = text == Vectors.agreed128 ? bob : rsa
        for place in body.indices {
            for bit: UInt8 in [1, 2, 4, 32] {
                var flipped = body
                flipped[place] ^= bit
                #expect(open(flipped, key: key) == nil, "octet \(place)")
            }
        }
    }

    @Test("every truncation is undecodable, and so is what goes on")
    func truncations() {
        let body = Array(Vectors.agreed128.utf8)
        for count in body.indices { #expect(open(Array(body[..<count]), key: bob) == nil) }
        for more in [".", "A", "AA", "AAAA", "=", "\n", " "] {
            #expect(open(body + Array(more.utf8), key: bob) == nil)
            #expect(open(Array(more.utf8) + body, key: bob) == nil)
        }
    }

    @Test("another key opens nothing, nor one of the other algorithm")
    func otherKeys() {
        let other = PrivateKey(making: .ecdhES)
        #expect(open(Array(Vectors.agreed128.utf8), key: other) == nil)
        #expect(open(Array(Vectors.agreed128.utf8), key: rsa) == nil)
        #expect(open(Array(Vectors.wrapped256.utf8), key: bob) == nil)
    }

    @Test("an encrypted key where none belongs, and parts of the wrong size, are undecodable")
    func parts() {
        #expect(open(replaced(Vectors.agreed128, 1, by: "AA"), key: bob) == nil)
        #expect(open(replaced(Vectors.agreed128, 2, by: "48V1_ALb6US04U3bAA"), key: bob) == nil)
        #expect(open(replaced(Vectors.agreed128, 2, by: ""), key: bob) == nil)
        #expect(open(replaced(Vectors.agreed128, 4, by: ""), key: bob) == nil)
        #expect(open(replaced(Vectors.agreed128, 3, by: ""), key: bob) == nil)
        #expect(open(replaced(Vectors.wrapped256, 1, by: ""), key: rsa) == nil)
        #expect(open(replaced(Vectors.wrapped256, 1, by: "AAAA"), key: rsa) == nil)
        let high = String(repeating: "_", count: 341) + "w"
        #expect(open(replaced(Vectors.wrapped256, 1, by: high), key: rsa) == nil)
    }

    @Test("a failed unwrap goes on with a random key of the right length, another each time")
    func randomKey() {
        for wrapped in [[], [UInt8](repeating: 1, count: 256), [UInt8](repeating: 255, count: 256)]
        {
            let one = rsa.unwrap(wrapped.span, keySize: 16)
            #expect(one.count == 16)
            #expect(one != rsa.unwrap(wrapped.span, keySize: 16))
        }
        // A key of 32 octets where 16 belong is as good as none.
        let key = RandomBytes.make(32)
        let wrapped = rsa.publicKey.wrap(key.span) ?? []
        #expect(rsa.unwrap(wrapped.span, keySize: 32) == key)
        let short = rsa.unwrap(wrapped.span, keySize: 16)
        #expect(short.count == 16)
        #expect(short != Array(key[..<16]))
    }
}
