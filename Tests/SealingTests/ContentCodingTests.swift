import Testing

@testable import Sealing

/// Opens with a fresh scratch; nil where it is refused.
private func open(_ body: [UInt8], secret: [UInt8]) -> [UInt8]? {
    var scratch = [UInt8]()
    do throws(SealError) {
        let count = try ContentCoding().open(body.span, secret: secret.span, into: &scratch)
        return Array(scratch[..<count])
    } catch { return nil }
}

/// A body of records that a test has filled, delimiters and padding included.
private func body(
    _ records: [[UInt8]], secret: [UInt8], recordSize: Int, numbers: [UInt64]? = nil
) -> [UInt8] {
    let salt = [UInt8](repeating: 7, count: 16)
    let keys = RecordKeys(secret: secret.span, salt: salt.span)
    var out = salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: recordSize >> $0) } + [1, 65]
    for (place, record) in records.enumerated() {
        keys.withKey { key in
            keys.withNonce(numbers?[place] ?? UInt64(place)) { nonce in
                out += AESGCM(.bits128).seal(
                    record.span, key: Span(_unsafeElements: key),
                    nonce: Span(_unsafeElements: nonce), associated: [UInt8]().span)
            }
        }
    }
    return out
}

@Suite("aes128gcm") struct ContentCodingTests {
    let secret = [UInt8](repeating: 9, count: 32)
    let keyID: [UInt8] = [65]
    let walrus = Array("I am the walrus".utf8)

    @Test("one record (RFC 8188 §3.1)")
    func oneRecord() throws {
        let key = base64url("yqdlZ-tYemfogSmv7Ws5PQ")
        let sealed = base64url(
            "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
        let plain = Array("I am the walrus".utf8)
        #expect(open(sealed, secret: key) == plain)
        #expect(try ContentCoding.keyID(of: sealed.span).isEmpty)
        let none: [UInt8] = []
        let made = ContentCoding.seal(
            plain.span, keyID: none.span, secret: key.span, salt: Array(sealed[..<16]))
        #expect(made == sealed)
    }

    @Test("two records with padding and a key id (RFC 8188 §3.2)")
    func twoRecords() throws {
        let key = base64url("BO3ZVPxUlnLORbVGMpbT1Q")
        let sealed = base64url(
            """
            uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3\
            SsLWIqS_uA
            """)
        #expect(open(sealed, secret: key) == Array("I am the walrus".utf8))
        let place = try ContentCoding.keyID(of: sealed.span)
        #expect(Array(sealed[place]) == Array("a1".utf8))
    }

    @Test("what was sealed opens, at every size of record and content")
    func roundTrip() throws {
        let coding = ContentCoding()
        var scratch = [UInt8]()
        for recordSize in [18, 19, 33, 100, 4096, 1_048_576] {
            for count in [0, 1, 2, 15, 16, 17, 82, 83, 84, 166, 4079, 4080, 9000] {
                let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let sealed = ContentCoding.seal(
                    plain.span, keyID: Array("key".utf8).span, secret: secret.span,
                    recordSize: recordSize)
                let made = try coding.open(sealed.span, secret: secret.span, into: &scratch)
                #expect(Array(scratch[..<made]) == plain)
            }
        }
    }

    @Test("two bodies of one content differ")
    func salted() {
        let seal = {
            ContentCoding.seal(secret.span, keyID: secret.span, secret: secret.span)
        }
        #expect(seal() != seal())
    }

    @Test("every flipped bit is undecodable, but in the key id, which nothing seals")
    func flips() {
        let sealed = ContentCoding.seal(
            walrus.span, keyID: keyID.span, secret: secret.span,
            recordSize: 25)
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect((open(flipped, secret: secret) == nil) == (bit / 8 != 21), "bit \(bit)")
        }
    }

    @Test("every truncation is undecodable, at a record's end too, and so is every octet behind")
    func truncations() {
        let sealed = ContentCoding.seal(
            walrus.span, keyID: keyID.span, secret: secret.span,
            recordSize: 25)
        #expect(sealed.count == 22 + 25 + 24)
        for count in 0..<sealed.count {
            #expect(open(Array(sealed[..<count]), secret: secret) == nil)
        }
        for more in [1, 16, 17, 25, 30] {
            #expect(open(sealed + [UInt8](repeating: 0, count: more), secret: secret) == nil)
        }
        #expect(open(sealed + sealed, secret: secret) == nil)
        #expect(open(sealed, secret: [UInt8](repeating: 8, count: 32)) == nil)
    }

    /// Records, and what has to come of them: nil for undecodable.
    static let bodies: [(name: String, records: [[UInt8]], content: [UInt8]?)] = [
        ("one", [[1, 2, 3, 2]], [1, 2, 3]),
        ("empty", [[2]], []),
        ("padded to the full", [[1, 2, 0, 0, 0, 0, 0, 0]], [1]),
        ("only padding", [[2, 0, 0, 0]], []),
        ("a first that is only padding", [[1, 0, 0, 0, 0, 0, 0, 0], [5, 2]], [5]),
        ("a last that is empty", [[1, 2, 3, 4, 5, 6, 7, 1], [2]], [1, 2, 3, 4, 5, 6, 7]),
        ("zeros at the content's end", [[5, 0, 0, 2]], [5, 0, 0]),
        ("no delimiter", [[0, 0, 0, 0]], nil),
        ("nothing at all", [[]], nil),
        ("a last with the others' delimiter", [[5, 1]], nil),
        ("a last with another delimiter", [[5, 3]], nil),
        ("a first with the last's delimiter", [[1, 2, 3, 4, 5, 6, 7, 2], [5, 2]], nil),
        ("a first without a delimiter", [[0, 0, 0, 0, 0, 0, 0, 0], [5, 2]], nil),
        ("a first that is short", [[1, 1], [5, 2]], nil),
    ]

    @Test("delimiters and padding (RFC 8188 §2)", arguments: bodies.indices)
    func delimiters(place: Int) {
        let (name, records, content) = Self.bodies[place]
        let sealed = body(records, secret: secret, recordSize: 24)
        #expect(open(sealed, secret: secret) == content, "\(name)")
    }

    @Test("records in another order are undecodable")
    func order() {
        let records: [[UInt8]] = [[1, 1, 1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 1, 1, 1], [3, 2]]
        #expect(
            open(body(records, secret: secret, recordSize: 24), secret: secret)
                == [1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 3])
        for numbers: [UInt64] in [[1, 0, 2], [0, 0, 2], [1, 2, 3], [0, 1, 3]] {
            let sealed = body(records, secret: secret, recordSize: 24, numbers: numbers)
            #expect(open(sealed, secret: secret) == nil)
        }
    }

    @Test(
        "record sizes below 18 and above 1 MiB are undecodable",
        arguments: [
            (17, false), (18, true), (19, true), (1_048_576, true), (1_048_577, false), (0, false),
            (0xffff_ffff, false),
        ])
    func recordSizes(size: Int, good: Bool) {
        #expect(
            (open(body([[2]], secret: secret, recordSize: size), secret: secret) != nil) == good)
    }

    @Test("a header that is cut, or whose key id goes on behind the body, has no key id")
    func header() {
        let sealed = body([[2]], secret: secret, recordSize: 24)
        for count in 0..<22 {
            #expect(throws: SealError.undecodable) {
                try ContentCoding.keyID(of: sealed.span.extracting(first: count))
            }
        }
        #expect(throws: Never.self) {
            try ContentCoding.keyID(of: sealed.span.extracting(first: 22))
        }
        var long = sealed
        long[20] = 255
        #expect(throws: SealError.undecodable) { try ContentCoding.keyID(of: long.span) }
    }
}
