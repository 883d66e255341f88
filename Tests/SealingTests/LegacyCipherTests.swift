import Testing

@testable import Sealing

@Suite("legacy") struct LegacyCipherTests {
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c")

    private func open(_ body: [UInt8], key: [UInt8]) -> [UInt8]? {
        var scratch = [UInt8]()
        do throws(SealError) {
            let count = try LegacyCipher().open(body.span, key: key.span, into: &scratch)
            return Array(scratch[..<count])
        } catch { return nil }
    }

    @Test("AES-128-ECB (NIST SP 800-38A F.1.1), with the block that PKCS#7 adds")
    func published() {
        let plain = hex(
            """
            6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
            30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
            """)
        let sealed = hex(
            """
            3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
            43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4\
            a254be88e037ddd9d79fb6411c3f9df8
            """)
        #expect(LegacyCipher().seal(plain.span, key: key.span) == sealed)
        #expect(open(sealed, key: key) == plain)
    }

    @Test("what was sealed opens, in one context, after failures too")
    func roundTrip() throws {
        let cipher = LegacyCipher()
        var scratch = [UInt8]()
        for count in 0..<70 {
            let plain = (0..<count).map { UInt8($0) }
            let sealed = cipher.seal(plain.span, key: key.span)
            #expect(sealed.count == count / 16 * 16 + 16)
            let made = try cipher.open(sealed.span, key: key.span, into: &scratch)
            #expect(Array(scratch[..<made]) == plain)
            #expect(throws: SealError.undecodable) {
                _ = try cipher.open(
                    sealed.span.extracting(first: count % 16), key: key.span, into: &scratch)
            }
        }
    }

    /// A last block, and how many octets of it are content; nil for undecodable.
    static let lastBlocks: [(block: [UInt8], content: Int?)] = [
        ([UInt8](repeating: 16, count: 16), 0),
        ([UInt8](repeating: 9, count: 15) + [1], 15),
        ([UInt8](repeating: 9, count: 14) + [2, 2], 14),
        ([9] + [UInt8](repeating: 15, count: 15), 1),
        ([UInt8](repeating: 0, count: 16), nil),
        ([UInt8](repeating: 17, count: 16), nil),
        ([UInt8](repeating: 255, count: 16), nil),
        ([UInt8](repeating: 9, count: 14) + [1, 2], nil),
        ([9] + [UInt8](repeating: 16, count: 15), nil),
        ([14] + [UInt8](repeating: 15, count: 14) + [14], nil),
    ]

    @Test("padding is whole or undecodable", arguments: lastBlocks.indices)
    func paddings(place: Int) {
        let (block, content) = Self.lastBlocks[place]
        // The cipher's own padding block is cut off, so that the last block is ours.
        let sealed = Array(LegacyCipher().seal(block.span, key: key.span)[..<16])
        #expect(open(sealed, key: key) == content.map { Array(block[..<$0]) })
    }

    @Test("only whole blocks, at least one, and only 16 octets of key")
    func sizes() {
        let sealed = LegacyCipher().seal([1, 2, 3].span, key: key.span)
        for count in 0..<16 { #expect(open(Array(sealed[..<count]), key: key) == nil) }
        #expect(open(sealed + [0], key: key) == nil)
        #expect(open(sealed, key: Array(key[..<15])) == nil)
        #expect(open(sealed, key: key + key) == nil)
    }
}
