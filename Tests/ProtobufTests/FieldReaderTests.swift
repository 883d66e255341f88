import Protobuf
import TestSupport
import Testing

/// protobuf.dev, Encoding; spec: OpenTelemetry, Reading.
@Suite("the fields of a message")
struct FieldReaderTests {
    /// One of each wire type, numbers of every width among them, and groups to step over.
    static let sample: [UInt8] =
        Wire.number(1, 300) + Wire.fixed64(2, 0x0102_0304_0506_0708)
        + Wire.group(16, Wire.number(1, 5) + Wire.group(3, Wire.text(1, "in it")))
        + Wire.text(2047, "text") + Wire.fixed32((1 << 29) - 1, 0xfffe_fdfc) + Wire.bytes(5, [])
        + Wire.number(6, .max)

    @Test("come in order, with their values, and groups are stepped over")
    func everyType() throws {
        let found = try fields(Self.sample)
        #expect(found.map(\.number) == [1, 2, 2047, (1 << 29) - 1, 5, 6])
        #expect(found.map(\.kind) == [.varint, .fixed64, .bytes, .fixed32, .bytes, .varint])
        #expect(found.map(\.bits) == [300, 0x0102_0304_0506_0708, 0, 0xfffe_fdfc, 0, .max])
        #expect(Self.sample[found[2].range].elementsEqual("text".utf8))
        #expect(found[4].range.isEmpty && found[4].start > found[2].end)
        #expect(found[0].range == 0..<0 && found[0].end == 0)
    }

    @Test("an empty message has none")
    func empty() throws { #expect(try fields([]).isEmpty) }

    @Test("stand within the range that is read, and end with it")
    func range() throws {
        let bytes = [0xff, 0xff] + Wire.number(3, 7) + Wire.text(4, "ab") + [0xff]
        var reader = try FieldReader(2..<bytes.count - 1, depth: 1)
        var count = FieldCount()
        #expect(try reader.next(bytes.span, &count)?.bits == 7)
        #expect(try reader.next(bytes.span, &count)?.range == 6..<8)
        #expect(try reader.next(bytes.span, &count) == nil)
        #expect(try reader.next(bytes.span, &count) == nil)
        #expect(count.total == 2)
        // What follows the range is not borrowed for a value that lacks a byte.
        var short = try FieldReader(2..<7, depth: 1)
        #expect(try short.next(bytes.span, &count)?.number == 3)
        #expect(throws: MalformedMessage()) { try short.next(bytes.span, &count) }
    }

    @Test("are counted, those within groups too, and no more are read than allowed")
    func limit() throws {
        // Six, and a group in which there are a number and a group with a text.
        let total = 10
        var reader = try FieldReader(0..<Self.sample.count, depth: 1)
        var count = FieldCount()
        while try reader.next(Self.sample.span, &count) != nil {}
        #expect(count.total == total)
        #expect(try fields(Self.sample, limit: total).count == 6)
        for limit in 0..<total {
            #expect(throws: MalformedMessage(hasTooManyFields: true)) {
                try fields(Self.sample, limit: limit)
            }
        }
        // What is malformed before the first of too many is that.
        let bytes = Wire.number(1, 1) + Wire.tag(1, 6) + Wire.number(1, 1)
        #expect(throws: MalformedMessage()) { try fields(bytes, limit: 2) }
        let empty = Array(repeating: Wire.bytes(9, []), count: 300).flatMap(\.self)
        #expect(try fields(empty, limit: 300).count == 300)
        #expect(throws: MalformedMessage(hasTooManyFields: true)) {
            try fields(empty, limit: 299)
        }
    }

    @Test("a varint has one to ten bytes, as many as it needs or more", arguments: 1...10)
    func varints(width: Int) throws {
        let bits = min(64, 7 * width)
        let greatest = bits == 64 ? UInt64.max : (1 << UInt64(bits)) - 1
        for value in [0, 1, 127, greatest / 3, greatest] where value <= greatest {
            let bytes = Wire.tag(1, 0) + Wire.varint(value, width: width)
            #expect(bytes.count == 1 + width)
            #expect(try fields(bytes).map(\.bits) == [value])
        }
        // As a tag, and as a length.
        let text = Wire.varint(1 << 3 | 2, width: width) + Wire.varint(1, width: width) + [0x61]
        #expect(try fields(text).map(\.range) == [2 * width..<2 * width + 1])
    }

    @Test("bits of a varint beyond 64 are dropped")
    func wideVarint() throws {
        let nine = [UInt8](repeating: 0x80, count: 9)
        #expect(try fields(Wire.tag(1, 0) + nine + [0x7f]).map(\.bits) == [1 << 63])
        #expect(try fields(Wire.tag(1, 0) + nine + [0x7e]).map(\.bits) == [0])
    }

    @Test("a varint of eleven bytes is malformed, wherever it stands")
    func longVarint() {
        for last: UInt8 in [0, 1, 0x7f] {
            let eleven = [UInt8](repeating: 0x80, count: 10) + [last]
            #expect(isMalformed(Wire.tag(1, 0) + eleven))
            #expect(isMalformed(Wire.tag(1, 2) + eleven))
            #expect(isMalformed([0x88] + eleven.dropFirst() + [0]))
            #expect(isMalformed(Wire.group(2, Wire.tag(1, 0) + eleven)))
        }
        #expect(isMalformed([UInt8](repeating: 0xff, count: 100)))
    }

    @Test(
        "a field's number is 1 to 2^29 − 1",
        arguments: [
            (0, false), (1, true), (15, true), (16, true), ((1 << 29) - 1, true), (1 << 29, false),
            (1 << 32, false), (1 << 32 | 1, false), ((1 << 61) - 1, false),
        ] as [(UInt64, Bool)])
    func numbers(number: UInt64, isGood: Bool) {
        for bytes in [
            Wire.number(number, 1), Wire.fixed64(number, 1), Wire.fixed32(number, 1),
            Wire.text(number, "a"), Wire.group(number, []),
        ] {
            #expect(isMalformed(bytes) != isGood)
            #expect(isMalformed(Wire.group(1, bytes)) != isGood)
        }
    }

    @Test("wire types 6 and 7 are malformed", arguments: [6, 7] as [UInt64])
    func unknownTypes(type: UInt64) {
        for content in [[], [0], [UInt8](repeating: 0, count: 16)] as [[UInt8]] {
            #expect(isMalformed(Wire.tag(1, type) + content))
            #expect(isMalformed(Wire.group(1, Wire.tag(1, type) + content)))
        }
    }

    @Test(
        "a length that goes past the end is malformed",
        arguments: [
            4, 5, 127, 128, 1 << 31, 1 << 32, 1 << 32 | 3, 1 << 62, (1 << 63) - 1, 1 << 63,
            1 << 63 | 3, .max - 3, .max,
        ] as [UInt64])
    func lengths(length: UInt64) {
        let bytes = Wire.tag(1, 2) + Wire.varint(length) + [1, 2, 3]
        #expect(isMalformed(bytes))
        #expect(isMalformed(Wire.number(1, 1) + bytes))
        #expect(isMalformed(Wire.tag(2, 3) + bytes))
        #expect(isMalformed(Wire.tag(1, 2) + Wire.varint(length)))
    }

    @Test("a message that is cut anywhere is malformed but between two fields")
    func truncations() throws {
        let whole = try fields(Self.sample)
        var ends: Set<Int> = []
        var length = 0
        let parts: [[UInt8]] = [
            Wire.number(1, 300), Wire.fixed64(2, 0),
            Wire.group(16, Wire.number(1, 5) + Wire.group(3, Wire.text(1, "in it"))),
            Wire.text(2047, "text"), Wire.fixed32((1 << 29) - 1, 0), Wire.bytes(5, []),
            Wire.number(6, .max),
        ]
        for part in [[]] + parts {
            length += part.count
            ends.insert(length)
        }
        #expect(length == Self.sample.count && ends.count == 8)
        for end in 0...Self.sample.count {
            let cut = try? fields(Array(Self.sample[..<end]))
            #expect((cut != nil) == ends.contains(end), "\(end)")
            #expect(cut.map { whole.starts(with: $0) } ?? true)
        }
    }

    @Test("any bytes are read or refused, and nothing is found outside of them")
    func noise() {
        var source = SplitMix(seed: 7)
        var good = 0
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &source)).map { _ in
                // Small ones more often: else nearly all end at their first byte.
                UInt8.random(in: Bool.random(using: &source) ? 0...20 : 0...255, using: &source)
            }
            guard let found = try? fields(bytes) else { continue }
            good += 1
            #expect(
                found.allSatisfy {
                    $0.number > 0 && $0.start <= $0.end && $0.end <= bytes.count
                })
        }
        #expect(good > 100)
    }
}
