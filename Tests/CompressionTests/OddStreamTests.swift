import Testing

@testable import Compression

/// Streams that no compressor makes and RFC 1951 rules out.
struct OddStream: CustomTestStringConvertible, Sendable {
    let name: String
    let octets: [UInt8]
    var testDescription: String { name }

    /// Symbols of one last block in the fixed codes; a distance symbol has its bits with it.
    init(_ name: String, _ write: (inout BitWriter) -> Void) {
        self.name = name
        var out = BitWriter()
        out.number(1, bits: 1)
        write(&out)
        octets = out.octets
    }

    /// A last block with codes of its own. The length code gives symbols 0, 1, 2 and 18 two bits
    /// each.
    static func own(
        _ name: String, literals: Int, distances: Int, lengths: [Int], codeLengths: [Int: Int],
        body: (inout BitWriter) -> Void
    ) -> OddStream {
        OddStream(name) { out in
            out.number(2, bits: 2)
            out.number(literals - 257, bits: 5)
            out.number(distances - 1, bits: 5)
            let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            out.number(order.count - 4, bits: 4)
            for symbol in order { out.number(codeLengths[symbol] ?? 0, bits: 3) }
            var place = 0
            while place < lengths.count {
                let zeros = lengths[place...].prefix { $0 == 0 }.count
                if zeros >= 11 {
                    let run = min(zeros, 138)
                    out.code(3, bits: 2)
                    out.number(run - 11, bits: 7)
                    place += run
                } else {
                    out.code(lengths[place], bits: 2)
                    place += 1
                }
            }
            body(&out)
        }
    }

    static func lengths(literals: Int, distances: Int, _ set: [Int: Int]) -> [Int] {
        (0..<literals + distances).map { set[$0] ?? 0 }
    }
    static let twoBits = [0: 2, 1: 2, 2: 2, 18: 2]

    /// What libdeflate accepts all the same (`InflateBackend`).
    var isTolerated: Bool { Self.tolerated.contains(name) }

    private static let tolerated: Set = [
        "length symbol 286", "length symbol 287", "distance symbol 30", "287 literal codes",
        "31 distance codes", "the unused half of a single distance code",
        "a match without a distance code",
    ]

    static let refused: [OddStream] = [
        OddStream("length symbol 286") {
            $0.number(1, bits: 2)
            $0.fixed(97)
            $0.fixed(286)
            $0.code(0, bits: 5)
            $0.fixed(256)
        },
        OddStream("length symbol 287") {
            $0.number(1, bits: 2)
            $0.fixed(97)
            $0.fixed(287)
            $0.code(0, bits: 5)
            $0.fixed(256)
        },
        OddStream("distance symbol 30") {
            $0.number(1, bits: 2)
            for _ in 0..<33_000 { $0.fixed(97) }
            $0.fixed(257)
            $0.code(30, bits: 5)
            $0.number(0, bits: 13)
            $0.fixed(256)
        },
        own(
            "287 literal codes", literals: 287, distances: 2,
            lengths: lengths(literals: 287, distances: 2, [97: 1, 256: 1, 287: 1, 288: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "31 distance codes", literals: 257, distances: 31,
            lengths: lengths(literals: 257, distances: 31, [97: 1, 256: 1, 257: 1, 258: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "no code for the end", literals: 257, distances: 1,
            lengths: lengths(literals: 257, distances: 1, [97: 1, 98: 1, 257: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "too few literal codes", literals: 257, distances: 1,
            lengths: lengths(literals: 257, distances: 1, [97: 2, 256: 1, 257: 1]),
            codeLengths: twoBits
        ) {
            $0.code(2, bits: 2)
            $0.code(0, bits: 1)
        },
        own(
            "too many literal codes", literals: 257, distances: 1,
            lengths: lengths(literals: 257, distances: 1, [97: 1, 98: 1, 256: 1, 257: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "one code for lengths", literals: 257, distances: 1, lengths: [],
            codeLengths: [1: 1]
        ) {
            $0.number(0, bits: 258)
            $0.number(0, bits: 16)
        },
        own(
            "the unused half of a single distance code", literals: 258, distances: 1,
            lengths: lengths(literals: 258, distances: 1, [97: 2, 256: 2, 257: 1, 258: 1]),
            codeLengths: twoBits
        ) {
            $0.code(2, bits: 2)
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
            $0.code(3, bits: 2)
        },
        own(
            "a match without a distance code", literals: 258, distances: 1,
            lengths: lengths(literals: 258, distances: 1, [97: 2, 256: 2, 257: 1]),
            codeLengths: twoBits
        ) {
            $0.code(2, bits: 2)
            $0.code(0, bits: 1)
            $0.code(0, bits: 1)
            $0.code(3, bits: 2)
        },
    ]

    static let accepted: [OddStream] = [
        own(
            "286 literal codes and 30 distance codes", literals: 286, distances: 30,
            lengths: lengths(
                literals: 286, distances: 30, [97: 1, 256: 1, 286: 1, 287: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "one distance code of one bit, unused", literals: 257, distances: 1,
            lengths: lengths(literals: 257, distances: 1, [97: 1, 256: 1, 257: 1]),
            codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
        own(
            "no distance code", literals: 257, distances: 1,
            lengths: lengths(literals: 257, distances: 1, [97: 1, 256: 1]), codeLengths: twoBits
        ) {
            $0.code(0, bits: 1)
            $0.code(1, bits: 1)
        },
    ]
}

@Suite("odd deflate streams") struct OddStreamTests {
    @Test(
        "what RFC 1951 rules out is damaged", arguments: OddStream.refused, InflateBackend.allCases)
    func refused(stream: OddStream, backend: InflateBackend) {
        let outcome = inflateRaw(stream.octets, limit: 100_000, by: backend)
        guard stream.isTolerated, backend != .zlib else {
            #expect(outcome == .refused(.damaged))
            return
        }
        guard case .content(let content) = outcome else {
            Issue.record("libdeflate refuses it: it need not be an exception")
            return
        }
        let size = content.count
        #expect(inflateRaw(stream.octets, limit: size, by: backend) == outcome)
        // zlib is asked about what is too large, and finds the damage.
        #expect(inflateRaw(stream.octets, limit: size - 1, by: backend) != outcome)
    }

    @Test("a single distance code matches by its used half", arguments: InflateBackend.allCases)
    func singleDistance(backend: InflateBackend) {
        let stream = OddStream.own(
            "", literals: 258, distances: 1,
            lengths: OddStream.lengths(
                literals: 258, distances: 1, [97: 2, 256: 2, 257: 1, 258: 1]),
            codeLengths: OddStream.twoBits
        ) {
            $0.code(2, bits: 2)
            $0.code(0, bits: 1)
            $0.code(0, bits: 1)
            $0.code(3, bits: 2)
        }
        #expect(inflateRaw(stream.octets, by: backend) == .content([97, 97, 97, 97]))
    }

    @Test("what it allows is not", arguments: OddStream.accepted, InflateBackend.allCases)
    func accepted(stream: OddStream, backend: InflateBackend) {
        #expect(inflateRaw(stream.octets, limit: 100_000, by: backend) == .content([97]))
    }
}

/// Writes deflate streams bit by bit (RFC 1951 §3.1.1), also such as no compressor makes.
struct BitWriter {
    private(set) var octets: [UInt8] = []
    private var used = 0

    /// A number, least significant bit first.
    mutating func number(_ value: Int, bits: Int) {
        for place in 0..<bits { bit(value >> place & 1) }
    }

    /// A Huffman code, most significant bit first.
    mutating func code(_ value: Int, bits: Int) {
        for place in (0..<bits).reversed() { bit(value >> place & 1) }
    }

    /// A literal or length symbol in the fixed code (RFC 1951 §3.2.6).
    mutating func fixed(_ symbol: Int) {
        switch symbol {
        case 0..<144: code(0x30 + symbol, bits: 8)
        case 144..<256: code(0x190 + symbol - 144, bits: 9)
        case 256..<280: code(symbol - 256, bits: 7)
        default: code(0xc0 + symbol - 280, bits: 8)
        }
    }

    private mutating func bit(_ value: Int) {
        if used == 0 { octets.append(0) }
        octets[octets.count - 1] |= UInt8(value << used)
        used = (used + 1) & 7
    }
}
