import Testing

@testable import Sealing

/// A test case of the GCM specification (McGrew and Viega, appendix B), as NIST publishes it.
struct GCMVector: Sendable {
    let key: String
    let nonce: String
    var plain = ""
    var associated = ""
    var sealed = ""
    let tag: String

    static let zeroKey = "00000000000000000000000000000000"
    static let zeroNonce = "000000000000000000000000"
    static let key = "feffe9928665731c6d6a8f9467308308"
    static let nonce = "cafebabefacedbaddecaf888"
    static let plain = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    static let associated = "feedfacedeadbeeffeedfacedeadbeefabaddad2"

    static let all = [
        GCMVector(key: zeroKey, nonce: zeroNonce, tag: "58e2fccefa7e3061367f1d57a4e7455a"),
        GCMVector(
            key: zeroKey, nonce: zeroNonce, plain: zeroKey,
            sealed: "0388dace60b6a392f328c2b971b2fe78", tag: "ab6e47d42cec13bdf53a67b21257bddf"),
        GCMVector(
            key: key, nonce: nonce, plain: plain + "1aafd255",
            sealed: """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985
                """, tag: "4d5c2af327cd64a62cf35abd2ba6fab4"),
        GCMVector(
            key: key, nonce: nonce, plain: plain, associated: associated,
            sealed: """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091
                """, tag: "5bc94fbc3221a5db94fae95ae7121a47"),
        GCMVector(
            key: zeroKey + zeroKey, nonce: zeroNonce, tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        GCMVector(
            key: zeroKey + zeroKey, nonce: zeroNonce, plain: zeroKey,
            sealed: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        GCMVector(
            key: key + key, nonce: nonce, plain: plain + "1aafd255",
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
                """, tag: "b094dac5d93471bdec1a502270e3cc6c"),
        GCMVector(
            key: key + key, nonce: nonce, plain: plain, associated: associated,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                """, tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]
}

@Suite("AES-GCM") struct AESGCMTests {
    @Test("the published cases, sealed and opened, twice in one context", arguments: GCMVector.all)
    func published(vector: GCMVector) {
        let cipher = AESGCM(vector.key.utf8.count == 32 ? .bits128 : .bits256)
        let key = hex(vector.key)
        let nonce = hex(vector.nonce)
        let plain = hex(vector.plain)
        let associated = hex(vector.associated)
        for _ in 0..<2 {
            let sealed = cipher.seal(
                plain.span, key: key.span, nonce: nonce.span, associated: associated.span)
            #expect(sealed == hex(vector.sealed + vector.tag))
            var out = [UInt8](repeating: 0, count: plain.count)
            let opened = cipher.open(
                hex(vector.sealed).span, tag: hex(vector.tag).span, key: key.span,
                nonce: nonce.span, associated: associated.span, into: &out)
            #expect(opened)
            #expect(out == plain)
        }
    }

    @Test("a key, nonce or tag of another length opens nothing")
    func lengths() {
        let cipher = AESGCM(.bits128)
        let some = [UInt8](repeating: 0, count: 32)
        var out = some
        for (key, nonce, tag) in [(15, 12, 16), (32, 12, 16), (16, 11, 16), (16, 12, 15)] {
            let opened = cipher.open(
                some.span, tag: some.span.extracting(first: tag),
                key: some.span.extracting(first: key), nonce: some.span.extracting(first: nonce),
                associated: some.span, into: &out)
            #expect(!opened)
        }
    }

    @Test("a wrapped key opens with its key and what it is for, and with nothing else")
    func keyWrap() throws {
        let key = RandomBytes.make(32)
        let secret = RandomBytes.make(32)
        let associated = Array("app\0profile\0key".utf8)
        let wrapped = KeyWrap.wrap(secret.span, key: key.span, associated: associated.span)
        #expect(wrapped.count == 12 + 32 + 16)
        #expect(wrapped != KeyWrap.wrap(secret.span, key: key.span, associated: associated.span))
        let opened = try KeyWrap.unwrap(wrapped.span, key: key.span, associated: associated.span)
        #expect(opened == secret)
        #expect(throws: SealError.undecodable) {
            try KeyWrap.unwrap(wrapped.span, key: secret.span, associated: associated.span)
        }
        #expect(throws: SealError.undecodable) {
            try KeyWrap.unwrap(wrapped.span, key: key.span, associated: secret.span)
        }
        for bit in 0..<wrapped.count * 8 {
            var flipped = wrapped
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SealError.undecodable) {
                try KeyWrap.unwrap(flipped.span, key: key.span, associated: associated.span)
            }
        }
        for count in wrapped.indices {
            #expect(throws: SealError.undecodable) {
                try KeyWrap.unwrap(
                    wrapped.span.extracting(first: count), key: key.span,
                    associated: associated.span)
            }
        }
        let empty: [UInt8] = []
        let nothing = KeyWrap.wrap(empty.span, key: key.span, associated: empty.span)
        let none = try KeyWrap.unwrap(nothing.span, key: key.span, associated: empty.span)
        #expect(none.isEmpty)
    }
}
