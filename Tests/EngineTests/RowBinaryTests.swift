import Testing

@testable import Engine

@Suite("RowBinary")
struct RowBinaryTests {
    /// One value of each type, as ClickHouse writes it.
    private static let example: [UInt8] =
        [0xff, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12]
        + [1, 0, 0, 0, 0, 0, 0, 0x80] + [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
        + [0, 0, 0, 0, 0, 0, 0xf8, 0x3f] + [2, 0x68, 0x69] + [0xaa, 0xbb, 0xcc]
        + [2, 1, 0x61, 0]

    private struct Values: Equatable {
        var bytes: UInt8 = 0xff
        var short: UInt16 = 0x1234
        var word: UInt32 = 0x1234_5678
        var long: UInt64 = 0x8000_0000_0000_0001
        var signed: Int64 = -2
        var double = 1.5
        var text = "hi"
        var fixed: [UInt8] = [0xaa, 0xbb, 0xcc]
        var array = ["a", ""]
    }

    private static func read(_ bytes: [UInt8]) throws(RowBinary.Failure) -> Values {
        var reader = RowBinary.Reader(bytes)
        let values = Values(
            bytes: try reader.uint8(), short: try reader.uint16(), word: try reader.uint32(),
            long: try reader.uint64(), signed: try reader.int64(), double: try reader.float64(),
            text: try reader.string(), fixed: try reader.fixed(3),
            array: try reader.array { (one) throws(RowBinary.Failure) in try one.string() })
        #expect(reader.isAtEnd)
        return values
    }

    @Test("values are read as ClickHouse writes them")
    func reads() throws {
        #expect(try Self.read(Self.example) == Values())
    }

    @Test("values are written as ClickHouse reads them")
    func writes() {
        var writer = RowBinary.Writer()
        writer.uint8(0xff)
        writer.uint16(0x1234)
        writer.uint32(0x1234_5678)
        writer.uint64(0x8000_0000_0000_0001)
        writer.int64(-2)
        writer.float64(1.5)
        writer.string("hi")
        writer.raw([0xaa, 0xbb, 0xcc])
        writer.array(["a", ""]) { $0.string($1) }
        #expect(writer.bytes == Self.example)
    }

    @Test("an answer that ends within a value throws, wherever it is cut")
    func cut() {
        for end in 0..<Self.example.count {
            #expect(throws: RowBinary.Failure.self) {
                try Self.read(Array(Self.example[..<end]))
            }
        }
    }

    @Test("a failure says where the answer ends and how much is missing")
    func failure() {
        var reader = RowBinary.Reader([5, 1, 2])
        let error = #expect(throws: RowBinary.Failure.self) { try reader.bytes() }
        #expect(error == .cut(offset: 3, missing: 3))
        #expect(
            error?.description == "the answer ends at byte 3, 3 bytes before the end of a value")
    }

    @Test(
        "lengths of every size are read back",
        arguments: [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 32, 1 << 62 - 1])
    func lengths(_ length: Int) throws {
        var writer = RowBinary.Writer()
        writer.length(length)
        var reader = RowBinary.Reader(writer.bytes)
        #expect(try reader.length() == length)
        #expect(reader.isAtEnd)
    }

    @Test("a length beyond every answer throws and takes no memory")
    func lengthsThatCannotBe() {
        let ends: [[UInt8]] = [
            Array(repeating: 0xff, count: 10) + [1],
            Array(repeating: 0x80, count: 8) + [0x40],
            Array(repeating: 0xff, count: 8) + [0x3f],
        ]
        for bytes in ends {
            var text = RowBinary.Reader(bytes)
            #expect(throws: RowBinary.Failure.self) { try text.bytes() }
            var array = RowBinary.Reader(bytes)
            #expect(throws: RowBinary.Failure.self) {
                try array.array { (one) throws(RowBinary.Failure) in try one.uint8() }
            }
        }
    }

    @Test("doubles keep every bit")
    func doubles() throws {
        for value in [
            0, -0.0, .leastNonzeroMagnitude, 1e300, 0.1, -.infinity, .greatestFiniteMagnitude,
        ] {
            var writer = RowBinary.Writer()
            writer.float64(value)
            var reader = RowBinary.Reader(writer.bytes)
            #expect(try reader.float64().bitPattern == value.bitPattern)
        }
    }
}
