import Testing

@testable import Columns

@Suite("Packed numbers")
struct PackedTests {
    private static let numbers: [UInt64] = [
        0, 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 53, UInt64(Int64.max), .max - 1, .max,
    ]

    @Test("are read as they were written")
    func roundTrip() {
        var writer = PackedWriter()
        for number in Self.numbers {
            writer.append(number)
            writer.append(signed: Int64(bitPattern: number))
            writer.append(hash: number)
        }
        var reader = PackedReader()
        reader.load(PackedReader.padded(writer.bytes))
        for number in Self.numbers {
            #expect(reader.number() == number)
            #expect(reader.signedNumber() == Int64(bitPattern: number))
            #expect(reader.hash() == number)
        }
        #expect(reader.isAtEnd && !reader.isBroken)
    }

    @Test("of the same width stand side by side", arguments: 0...32)
    func bits(width: UInt64) {
        let mask = (UInt64(1) << width) - 1
        let numbers = (0..<23).map { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 & mask }
        var writer = PackedWriter()
        writer.append(UInt64(5))
        for number in numbers { writer.append(number, width: width) }
        writer.align()
        writer.append(UInt64(6))
        var reader = PackedReader()
        reader.load(PackedReader.padded(writer.bytes))
        #expect(reader.number() == 5)
        var bits = reader.bits(reader.take(numbers.count, width: width), width: width)
        for number in numbers { #expect(bits.next(in: reader) == number) }
        #expect(reader.number() == 6)
        #expect(reader.isAtEnd && !reader.isBroken)
    }

    @Test("in rows are found by their places", arguments: 0..<8)
    func table(shape: Int) {
        let columns: [[Int64]] = [
            [5, 5, 5], [.min, .max, 0], [-1, 0, 1], [1 << 40, 1 << 56, 3], [0, (1 << 58) - 1, 9],
        ]
        let used = Array(columns[min(shape, 4)...]) + columns.prefix(shape)
        var rows = PackedTableWriter(columns: used.count)
        for row in 0..<3 { for column in used { rows.append(column[row]) } }
        var writer = PackedWriter()
        rows.write(to: &writer)
        writer.append(UInt64(6))
        var reader = PackedReader()
        reader.load(PackedReader.padded(writer.bytes))
        let table = PackedTable(used.count, in: &reader)
        #expect(table.rows == 3)
        for row in 0..<3 {
            for place in used.indices {
                #expect(table.number(place, of: row, in: reader) == used[place][row])
            }
        }
        #expect(reader.number() == 6)
        #expect(reader.isAtEnd && !reader.isBroken)
    }

    @Test("in rows that are cut off, or too wide, are none")
    func brokenTable() {
        var rows = PackedTableWriter(columns: 2)
        for number in 0..<40 { rows.append(Int64(number * number)) }
        var writer = PackedWriter()
        rows.write(to: &writer)
        let tooWide: [UInt8] = [1, 0, 65, 0, 0] + Array(repeating: 0, count: 20)
        for bytes in [Array(writer.bytes.dropLast()), [], tooWide] {
            var reader = PackedReader()
            reader.load(PackedReader.padded(bytes))
            let table = PackedTable(2, in: &reader)
            #expect(table.rows == 0 && reader.isBroken)
        }
    }

    @Test("of every length are read up to the last byte", arguments: 0..<64)
    func lengths(bit: UInt64) {
        for number: UInt64 in [1 << bit, ~0 >> (63 - bit), 0x5555_5555_5555_5555 >> (63 - bit)] {
            var writer = PackedWriter()
            writer.append(number)
            var reader = PackedReader()
            reader.load(PackedReader.padded(writer.bytes))
            #expect(reader.number() == number)
            #expect(reader.isAtEnd && !reader.isBroken)
            reader.load(PackedReader.padded(writer.bytes.dropLast()))
            #expect(reader.number() == 0)
            #expect(reader.isBroken)
        }
    }

    @Test("need as many bits as the largest")
    func width() {
        #expect([0, 1, 2, 255, 256, .max].map(PackedWriter.width) == [0, 1, 2, 8, 9, 64])
    }

    @Test("that end early or are too long are broken, and nothing behind the end is read")
    func broken() {
        let cases: [([UInt8], (inout PackedReader) -> Void)] = [
            ([], { _ = $0.number() }), ([0x80], { _ = $0.number() }),
            (Array(repeating: 0x80, count: 12), { _ = $0.number() }),
            ([1, 2, 3, 4, 5, 6, 7], { _ = $0.hash() }),
            ([1, 2, 3], { #expect($0.take(4).isEmpty) }),
            ([1, 2, 3], { #expect($0.take(-1).isEmpty) }),
            ([1, 2, 3], { #expect($0.take(25, width: 1).isEmpty) }),
            ([1, 2, 3], { #expect($0.take(1, width: 33).isEmpty) }),
            ([1, 2, 3], { #expect($0.take(.max, width: 8).isEmpty) }),
            ([9, 1], { #expect($0.count() == 0) }),
        ]
        for (bytes, read) in cases {
            var reader = PackedReader()
            reader.load(PackedReader.padded(bytes))
            read(&reader)
            #expect(reader.isBroken, "\(bytes)")
        }
    }
}
