import Events
import TestSupport
import Testing

@testable import Columns

@Suite("Blocks of attributes beside segments")
struct AttributeBlockTests {
    /// An event as a row has it.
    private struct Row {
        var name: SegmentName
        var time: Int64
        var session: UInt64?
        var attributes: [(key: Int64, text: String)]
    }

    private static let names = [
        SegmentName(row: 5, text: "screen.view"), SegmentName(row: 9, text: "session.start"),
        SegmentName(row: 1 << 40, text: "session.end"), SegmentName(row: 2, text: "own"),
    ]

    /// Batches of a day, some with one session, some with many; of a few events neither time nor session tell
    /// which comes first.
    private func batches(_ count: Int, _ random: inout SplitMix) -> [[Row]] {
        (0..<count).map { _ in
            let sessions = random.pick([1, 2, 20])
            return (0..<(1 + random.next(40))).map { _ in
                var attributes: [(key: Int64, text: String)] = []
                if random.next(3) > 0 {
                    attributes.append((1, "\"screen \(random.next(5))\""))
                }
                if random.next(2) == 0 {
                    attributes.append(
                        (1 << 33, random.pick(["12", "-0.5", "3.25", "1450", "7"])))
                }
                if random.next(9) == 0 {
                    attributes.append((4, random.pick(["12", "1e3", "true", "\"\"", "null"])))
                }
                return Row(
                    name: random.pick(Self.names), time: Int64(random.next(50)) * 1000,
                    session: random.next(4) == 0 ? nil : UInt64(1 + random.next(sessions)),
                    attributes: attributes)
            }
        }
    }

    private func segment(_ batches: [[Row]]) throws -> SegmentReader.Packed {
        var builder = SegmentBuilder()
        for (number, rows) in batches.enumerated() {
            builder.begin(
                batch: Int64(number + 1), device: Int64(number % 3), resource: 1, arrival: 0)
            for row in rows {
                builder.add(
                    builder.index(of: row.name), time: row.time, session: row.session,
                    subject: nil, amount: 1)
            }
        }
        let segments = builder.build()
        try #require(segments.count == 1)
        return SegmentReader.Packed(segments[0], .all)
    }

    private func block(_ batches: [[Row]], of packed: SegmentReader.Packed) throws -> [UInt8]? {
        var builder = AttributeBlockBuilder(packed)
        for (part, batch) in builder.batches {
            for (index, row) in batches[Int(batch) - 1].enumerated() {
                let added = builder.add(
                    index, ofPart: part, row.name, time: row.time, session: row.session)
                let event = try #require(added)
                for (key, text) in row.attributes {
                    builder.set(text.utf8.span, key, ofEvent: event)
                }
            }
        }
        return builder.block()
    }

    /// The same columns made of the rows of one name.
    private func columns(
        _ keys: [Int64], _ name: Int64, _ batches: [[Row]], of packed: SegmentReader.Packed
    ) throws -> [AttributeColumn] {
        var target = AttributeTarget(packed, name: name, keys: keys.count)
        target.begin()
        for (part, batch) in target.batches {
            let rows = batches[Int(batch) - 1].filter { $0.name.row == name }
            for (index, row) in rows.enumerated() {
                let event = target.add(index, ofPart: part, time: row.time, session: row.session)
                for (key, text) in row.attributes {
                    guard let number = keys.firstIndex(of: key) else { continue }
                    target.set(text.utf8.span, number, ofEvent: event)
                }
            }
        }
        let columns = target.columns()
        return try #require(columns)
    }

    /// The text of each event; nil without one.
    private func texts(_ column: AttributeColumn) -> [String?] {
        var codes: [Int32] = []
        column.append(to: &codes)
        return codes.map { code in
            code == 0
                ? nil
                : column.withText(Int(code)) { text in
                    String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
                }
        }
    }

    @Test("say of each event what its row says, in the order of the segment", arguments: 0..<40)
    func equality(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let batches = batches(1 + random.next(12), &random)
        let packed = try segment(batches)
        let bytes = try #require(try block(batches, of: packed))
        var block = try AttributeBlock(PackedReader.padded(bytes), parts: packed.partCount)
        let keys: [Int64] = [1 << 33, 1, 4, 77]
        for name in Self.names {
            let expected = try columns(keys, name.row, batches, of: packed)
            switch try block.columns(keys.map { .row($0) }, ofName: name.row) {
            case .columns(let found):
                for (one, other) in zip(found, expected) {
                    #expect(one.starts == other.starts)
                    #expect(texts(one) == texts(other))
                    var numbers: ([Double], [Double]) = ([], [])
                    let areDecimals = one.appendDecimals(to: &numbers.0)
                    #expect(areDecimals == other.appendDecimals(to: &numbers.1))
                    #expect(numbers.0.sorted() == numbers.1.sorted())
                }
            case .noAttributes:
                for column in expected { #expect(!texts(column).contains { $0 != nil }) }
            case .unknown:
                // Texts take most of a small block.
                if batches.joined().count > 200 { Issue.record("rows are asked") }
            }
        }
    }

    @Test("have nothing of values that are nearly all different, and say so")
    func manyValues() throws {
        let rows = (0..<2000).map { number in
            Row(
                name: Self.names[0], time: Int64(number), session: nil,
                attributes: [
                    (1, "\"\(number * 7919 % 65_536)-\(number)-of-many\""),
                    (2, "\"\(number % 3)\""),
                ])
        }
        let packed = try segment([rows])
        let bytes = try #require(try block([rows], of: packed))
        #expect(bytes.count < 1000)
        var block = try AttributeBlock(PackedReader.padded(bytes), parts: 1)
        guard case .unknown = try block.columns([.row(1)], ofName: 5),
            case .unknown = try block.columns([.row(2), .row(1)], ofName: 5),
            case .unknown = try block.columns([.session], ofName: 5),
            case .columns(let two) = try block.columns([.row(2), .row(3), .none], ofName: 5)
        else {
            Issue.record("rows are not asked")
            return
        }
        #expect(texts(two[0])[5] == "\"2\"")
        #expect(two[1].count == 1 && two[2].eventCount == 2000)
    }

    @Test("are bounded, however many keys somebody invents")
    func manyKeys() throws {
        let rows = (0..<3000).map { (number: Int) -> Row in
            let key: Int64 = number % 3 == 0 ? 1_000 : 1 + Int64(number % 700)
            return Row(
                name: Self.names[number % 4], time: Int64(number), session: nil,
                attributes: [(key, "\"x\"")])
        }
        let packed = try segment([rows])
        let bytes = try #require(try block([rows], of: packed))
        #expect(bytes.count <= 3 * 3000 + 4000)
        var block = try AttributeBlock(PackedReader.padded(bytes), parts: 1)
        var columns = 0
        for name in Self.names {
            for key in 1...1_000 as ClosedRange<Int64> {
                switch try block.columns([.row(key)], ofName: name.row) {
                case .columns(let found):
                    columns += 1
                    #expect(texts(found[0]).contains("\"x\""))
                case .noAttributes: Issue.record("what is not listed may be there")
                case .unknown: break
                }
            }
        }
        #expect((1...AttributeBlockBuilder.maxColumns).contains(columns))
    }

    @Test("are made of no other rows than those of the segment's events")
    func otherRows() throws {
        var random = SplitMix(seed: 3)
        let batches = batches(4, &random)
        let packed = try segment(batches)
        var other = batches
        other[2][0].time += 1
        #expect(try block(other, of: packed) == nil)
        other = batches
        other[1][0].session = 99
        #expect(try block(other, of: packed) == nil)
        #expect(try block(batches, of: packed) != nil)
    }

    @Test("that are damaged are damage or other values, never a trap")
    func damage() throws {
        var random = SplitMix(seed: 11)
        let batches = batches(3, &random)
        let packed = try segment(batches)
        let bytes = try #require(try block(batches, of: packed))
        func look(_ bytes: [UInt8], parts: Int) {
            guard var block = try? AttributeBlock(PackedReader.padded(bytes), parts: parts) else {
                return
            }
            for name in Self.names {
                for key in [1, 4, 1 << 33] as [Int64] {
                    let told = try? block.columns([.row(key)], ofName: name.row)
                    guard case .columns(let found) = told else { continue }
                    #expect(found[0].starts.count == parts + 1)
                    _ = texts(found[0])
                }
            }
        }
        for count in bytes.indices { look(Array(bytes[..<count]), parts: packed.partCount) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                look(changed, parts: packed.partCount)
            }
        }
        #expect(throws: AttributeBlock.Damage.self) {
            try AttributeBlock(PackedReader.padded(bytes), parts: packed.partCount + 1)
        }
    }
}
