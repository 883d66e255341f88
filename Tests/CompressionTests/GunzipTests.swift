import CZlib
import Testing

@testable import Compression

/// What has to come of a body.
enum Outcome: Equatable, Sendable {
    case content([UInt8])
    case refused(InflateError)
}

func gunzip(
    _ body: [UInt8], limit: Int = 8 << 20, by backend: InflateBackend, scratch: [UInt8] = []
) -> Outcome {
    var scratch = scratch
    do throws(InflateError) {
        let count = try Inflater(backend).gunzip(body.span, limit: limit, into: &scratch)
        return .content(Array(scratch[..<count]))
    } catch { return .refused(error) }
}

func inflateRaw(_ body: [UInt8], limit: Int = 8 << 20, by backend: InflateBackend) -> Outcome {
    var scratch = [UInt8]()
    do throws(InflateError) {
        let count = try Inflater(backend).inflateRaw(body.span, limit: limit, into: &scratch)
        return .content(Array(scratch[..<count]))
    } catch { return .refused(error) }
}

/// A body with what has to come of it.
struct GzipCase: CustomTestStringConvertible, Sendable {
    let name: String
    let body: [UInt8]
    let outcome: Outcome
    var testDescription: String { name }

    init(_ name: String, _ outcome: Outcome? = nil, _ change: (inout MemberBuilder) -> Void) {
        var member = MemberBuilder(Self.text)
        change(&member)
        self.name = name
        body = member.octets
        self.outcome = outcome ?? .content(member.content)
    }

    static let text = Array("a batch, a batch, a batch of events".utf8)
    static let damaged = Outcome.refused(.damaged)

    static let all: [GzipCase] = [
        GzipCase("plain") { _ in },
        GzipCase("empty content") { $0.content = [] },
        GzipCase("stored blocks") { $0.deflated = rawDeflate($0.content, level: 0) },
        GzipCase("fixed codes") { $0.deflated = rawDeflate($0.content, strategy: Z_FIXED) },
        GzipCase("no matches") { $0.deflated = rawDeflate($0.content, strategy: Z_HUFFMAN_ONLY) },
        GzipCase("FTEXT is a hint") { $0.isText = true },
        GzipCase("FEXTRA") { $0.extra = Array("ABCD".utf8) },
        GzipCase("empty FEXTRA") { $0.extra = [] },
        GzipCase("the longest FEXTRA") { $0.extra = [UInt8](repeating: 7, count: 65535) },
        GzipCase("FNAME") { $0.name = Array("events.json".utf8) },
        GzipCase("empty FNAME") { $0.name = [] },
        GzipCase("FCOMMENT") { $0.comment = Array("all of them".utf8) },
        GzipCase("right FHCRC") { $0.headerChecksum = .right },
        GzipCase("wrong FHCRC", damaged) { $0.headerChecksum = .wrong },
        GzipCase("everything optional") {
            $0.isText = true
            $0.extra = [1, 2, 3]
            $0.name = [65]
            $0.comment = [66]
            $0.headerChecksum = .right
        },
        GzipCase("everything optional, wrong FHCRC", damaged) {
            $0.extra = [1, 2, 3]
            $0.name = [65]
            $0.comment = [66]
            $0.headerChecksum = .wrong
        },
        GzipCase("reserved flag 0x20", damaged) { $0.reserved = 0x20 },
        GzipCase("reserved flag 0x40", damaged) { $0.reserved = 0x40 },
        GzipCase("reserved flag 0x80", damaged) { $0.reserved = 0x80 },
        GzipCase("first magic octet", damaged) { $0.magic = [0x1e, 0x8b] },
        GzipCase("second magic octet", damaged) { $0.magic = [0x1f, 0x8a] },
        GzipCase("method 7", damaged) { $0.method = 7 },
        GzipCase("method 0", damaged) { $0.method = 0 },
        GzipCase("wrong CRC-32", damaged) { $0.checksum = 1 },
        GzipCase("CRC-32 of nothing", damaged) { $0.checksum = 0 },
        GzipCase("ISIZE one less", damaged) { $0.inflatedSize = UInt32($0.content.count - 1) },
        GzipCase("ISIZE one more", damaged) { $0.inflatedSize = UInt32($0.content.count + 1) },
        GzipCase("ISIZE of 4 GiB", damaged) { $0.inflatedSize = .max },
        GzipCase("ISIZE 0", damaged) { $0.inflatedSize = 0 },
        GzipCase("an octet behind", damaged) { $0.trailing = [0] },
        GzipCase("a second member", damaged) { $0.trailing = MemberBuilder(Self.text).octets },
        GzipCase("padding of zeros", damaged) { $0.trailing = [UInt8](repeating: 0, count: 512) },
        GzipCase("an octet between stream and trailer", damaged) {
            $0.deflated = rawDeflate($0.content) + [0]
        },
        GzipCase("no stream", damaged) { $0.deflated = [] },
        GzipCase("a stream without its end", damaged) {
            $0.deflated = [0x00, 2, 0, 0xfd, 0xff, 65, 66]
        },
        GzipCase("block type 3", damaged) { $0.deflated = [0x07, 0, 0, 0] },
        GzipCase("a stored length that is not mirrored", damaged) {
            $0.deflated = [0x01, 2, 0, 0xfd, 0xfe, 65, 66]
        },
        GzipCase("a distance before the beginning", damaged) {
            // Fixed codes: the literal a, then length 3 at distance 2, then the end.
            $0.deflated = [0x4b, 0x04, 0x22, 0x00]
        },
    ]
}

@Suite("gunzip") struct GunzipTests {
    @Test(
        "every member of the table gives the same by each backend",
        arguments: GzipCase.all, InflateBackend.allCases)
    func table(one: GzipCase, backend: InflateBackend) {
        #expect(gunzip(one.body, by: backend) == one.outcome)
    }

    @Test("every truncation is damaged", arguments: InflateBackend.allCases)
    func truncations(backend: InflateBackend) {
        var member = MemberBuilder(GzipCase.text)
        member.extra = [1]
        member.name = [65]
        member.comment = [66]
        member.headerChecksum = .right
        let body = member.octets
        for count in 0..<body.count {
            #expect(gunzip(Array(body[..<count]), by: backend) == .refused(.damaged))
        }
    }

    @Test("a flipped bit never gives other content", arguments: InflateBackend.allCases)
    func flips(backend: InflateBackend) {
        let body = MemberBuilder(GzipCase.text).octets
        let whole = Outcome.content(GzipCase.text)
        for bit in 0..<body.count * 8 {
            var flipped = body
            flipped[bit / 8] ^= 1 << (bit % 8)
            let outcome = gunzip(flipped, limit: 1000, by: backend)
            // In the stream a flip may give the same content: another distance of a repeated text,
            // or the bits that fill the last octet. FTEXT, MTIME, XFL and OS count for nothing.
            if case .content = outcome { #expect(outcome == whole, "bit \(bit)") }
            if bit == 24 || (32..<80).contains(bit) { #expect(outcome == whole, "bit \(bit)") }
            if bit < 24 || (25..<32).contains(bit) || bit >= (body.count - 8) * 8 {
                #expect(outcome == .refused(.damaged), "bit \(bit)")
            }
        }
    }

    @Test("the limit is the most that is allowed", arguments: InflateBackend.allCases)
    func limit(backend: InflateBackend) {
        for count in [1, 300, 16384, 16385, 100_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let body = MemberBuilder(content).octets
            #expect(gunzip(body, limit: count, by: backend) == .content(content))
            #expect(gunzip(body, limit: count + 1, by: backend) == .content(content))
            #expect(gunzip(body, limit: count - 1, by: backend) == .refused(.tooLarge))
            #expect(gunzip(body, limit: 0, by: backend) == .refused(.tooLarge))
        }
        #expect(gunzip(MemberBuilder([]).octets, limit: 0, by: backend) == .content([]))
    }

    @Test(
        "what passes the limit is too large, whatever its trailer says",
        arguments: InflateBackend.allCases)
    func limitFirst(backend: InflateBackend) {
        var member = MemberBuilder([UInt8](repeating: 0, count: 50_000))
        member.checksum = 1
        member.inflatedSize = 3
        member.trailing = [1, 2, 3]
        #expect(gunzip(member.octets, limit: 49_999, by: backend) == .refused(.tooLarge))
        #expect(gunzip(member.octets, limit: 50_000, by: backend) == .refused(.damaged))
    }

    @Test(
        "damage at the limit's edge, without another octet, is damaged",
        arguments: InflateBackend.allCases)
    func damageAtLimit(backend: InflateBackend) {
        var member = MemberBuilder([])
        member.deflated = [0x00, 2, 0, 0xfd, 0xff, 65, 66, 0x07, 0, 0]
        #expect(gunzip(member.octets, limit: 2, by: backend) == .refused(.damaged))
        member.deflated = [0x00, 2, 0, 0xfd, 0xff, 65, 66]
        #expect(gunzip(member.octets, limit: 2, by: backend) == .refused(.damaged))
    }

    @Test("a lie about the size costs no memory", arguments: InflateBackend.allCases)
    func lie(backend: InflateBackend) throws {
        var member = MemberBuilder(GzipCase.text)
        member.inflatedSize = 8 << 20
        let body = member.octets
        var scratch = [UInt8]()
        #expect(throws: InflateError.damaged) {
            _ = try Inflater(backend).gunzip(body.span, limit: 8 << 20, into: &scratch)
        }
        #expect(scratch.count <= 64 << 10)
    }

    @Test(
        "the scratch never passes the limit by more than an octet",
        arguments: InflateBackend.allCases)
    func bomb(backend: InflateBackend) {
        let body = MemberBuilder([UInt8](repeating: 0, count: 4 << 20)).octets
        var scratch = [UInt8]()
        #expect(throws: InflateError.tooLarge) {
            _ = try Inflater(backend).gunzip(body.span, limit: 1 << 20, into: &scratch)
        }
        #expect(scratch.count <= 1 << 20 + 1)
    }

    @Test(
        "a context and a scratch serve one body after another", arguments: InflateBackend.allCases)
    func reuse(backend: InflateBackend) throws {
        let inflater = Inflater(backend)
        var scratch = [UInt8]()
        for round in 0..<40 {
            let content = (0..<(round * 7919 % 60_000)).map {
                UInt8(truncatingIfNeeded: $0 &* round)
            }
            let body = Gzip.compress(content.span, level: round % 10)
            let count = try inflater.gunzip(body.span, limit: 1 << 20, into: &scratch)
            #expect(Array(scratch[..<count]) == content)
            #expect(throws: InflateError.damaged) {
                _ = try inflater.gunzip(
                    body.span.extracting(first: 20), limit: 1 << 20, into: &scratch)
            }
        }
    }
}
