import CZlib
import TestSupport
import Testing

@testable import Compression

@Suite("raw deflate") struct InflateRawTests {
    let text = GzipCase.text

    @Test("what deflate made comes back", arguments: InflateBackend.allCases)
    func roundTrip(backend: InflateBackend) {
        for count in [0, 1, 35, 5000, 200_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 ^ $0 >> 8) }
            let body = Deflate.compress(content.span)
            #expect(inflateRaw(body, by: backend) == .content(content))
            #expect(inflateRaw(body + [0], by: backend) == .refused(.damaged))
            #expect(inflateRaw(Array(body.dropLast()), by: backend) == .refused(.damaged))
            if count > 0 {
                #expect(inflateRaw(body, limit: count, by: backend) == .content(content))
                #expect(inflateRaw(body, limit: count - 1, by: backend) == .refused(.tooLarge))
            }
        }
    }

    @Test("nothing is no stream", arguments: InflateBackend.allCases)
    func nothing(backend: InflateBackend) {
        #expect(inflateRaw([], by: backend) == .refused(.damaged))
    }

    @Test("a gzip member and a zlib stream are no raw deflate", arguments: InflateBackend.allCases)
    func wrapped(backend: InflateBackend) {
        let body = Deflate.compress(text.span)
        #expect(inflateRaw(MemberBuilder(GzipCase.text).octets, by: backend) == .refused(.damaged))
        #expect(inflateRaw([0x78, 0x9c] + body, by: backend) == .refused(.damaged))
    }

    @Test("a stream that ends early is damaged, whatever it might have grown to")
    func cutOff() {
        // Behind its end libdeflate reads zeros, which stand for a long run here.
        let body = Deflate.compress([UInt8](repeating: 0, count: 4000).span)
        for end in 1..<body.count {
            for limit in [3000, 3900, 4000, 4096] {
                let outcomes = InflateBackend.allCases.map {
                    inflateRaw(Array(body[..<end]), limit: limit, by: $0)
                }
                #expect(outcomes.allSatisfy { $0 == outcomes[0] }, "\(end) within \(limit)")
            }
        }
    }

    @Test("both backends judge changed streams alike, but for reserved symbols")
    func differential() {
        var random = SplitMix(seed: 1951)
        let content = (0..<400).map { UInt8(truncatingIfNeeded: $0 * $0 / 11) }
        let bodies = [
            rawDeflate(content), rawDeflate(content, strategy: Z_FIXED),
            rawDeflate(content, level: 0), rawDeflate(text),
        ]
        var tolerated = 0
        for round in 0..<6000 {
            var body = bodies[round % bodies.count]
            for _ in 0...round % 3 {
                let bit = Int.random(in: 0..<body.count * 8, using: &random)
                body[bit / 8] ^= 1 << (bit % 8)
            }
            let strict = inflateRaw(body, limit: 4096, by: .zlib)
            for backend in InflateBackend.allCases {
                let outcome = inflateRaw(body, limit: 4096, by: backend)
                if outcome == strict { continue }
                // libdeflate accepts some symbols that are reserved (`InflateBackend`).
                tolerated += 1
                guard case .content = outcome, strict == .refused(.damaged) else {
                    Issue.record("\(outcome) and \(strict): \(body)")
                    continue
                }
            }
        }
        #expect(tolerated < 600)
    }
}
