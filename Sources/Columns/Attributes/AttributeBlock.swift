/// The attributes of a segment's events in columns, as they are stored beside it: what `AttributeBlockBuilder`
/// writes. It has those of few values for their number; of others it says that there are some.
///
///     block  = flags parts names { name counts-width keys { key length } } then of each name: counts { column }
///     column = form texts codes
///
/// Numbers are as in `PackedWriter`. `counts` has of each part how many events of the name it has; a column of
/// length 0 is one that was left out. The texts are short decimals, sorted by their digits within those that
/// have as many after the point, or any texts; the codes are one higher, 0 for none.
package struct AttributeBlock {
    /// What the block says of an attribute.
    package enum Found {
        case columns([AttributeColumn])
        /// No event of the name has any attribute.
        case noAttributes
        /// Rows tell.
        case unknown
    }

    private struct Key {
        let row: Int64
        let range: Range<Int>
    }

    private struct Name {
        let row: Int64
        let width: UInt64
        let counts: Range<Int>
        let keys: [Key]
    }

    /// The block is not what was written.
    package struct Damage: Error {}

    /// Flags of a block.
    enum Flag {
        /// Every attribute that an event has is named.
        static let isWhole: UInt64 = 1
    }

    /// How texts are written.
    enum Form {
        static let texts: UInt64 = 0
        static let decimals: UInt64 = 1
    }

    private var reader = PackedReader()
    private var names: [Name] = []
    private let isWhole: Bool
    private let parts: Int

    /// - Parameters:
    ///   - padded: the block, as `PackedReader.padded`
    ///   - parts: how many the segment has
    package init(_ padded: [UInt8], parts: Int) throws(Damage) {
        reader.load(padded)
        self.parts = parts
        isWhole = reader.number() & Flag.isWhole != 0
        guard reader.number() == UInt64(parts) else { throw Damage() }
        var heads: [(row: Int64, width: UInt64, keys: [(row: Int64, length: Int)])] = []
        for _ in 0..<reader.count() {
            let row = Int64(bitPattern: reader.number())
            let width = reader.number()
            var keys: [(row: Int64, length: Int)] = []
            for _ in 0..<reader.count() {
                keys.append((Int64(bitPattern: reader.number()), reader.count()))
                if reader.isBroken { throw Damage() }
            }
            if reader.isBroken || width > 32 { throw Damage() }
            heads.append((row, width, keys))
        }
        for head in heads {
            let counts = reader.take(parts, width: head.width)
            let keys = head.keys.map { Key(row: $0.row, range: reader.take($0.length)) }
            names.append(Name(row: head.row, width: head.width, counts: counts, keys: keys))
        }
        if reader.isBroken || !reader.isAtEnd { throw Damage() }
    }

    /// The columns of some attributes of the events of a name, in the order of the keys.
    package mutating func columns(
        _ keys: [AttributeKey], ofName row: Int64
    ) throws(Damage) -> Found {
        guard !keys.contains(.session) else { return .unknown }
        guard let name = names.first(where: { $0.row == row }) else {
            return isWhole ? .noAttributes : .unknown
        }
        var found: [Range<Int>] = []
        for key in keys {
            let known = name.keys.first { key == .row($0.row) }
            guard known.map({ !$0.range.isEmpty }) ?? (isWhole || key == .none) else {
                return .unknown
            }
            found.append(known?.range ?? 0..<0)
        }
        let starts = try starts(of: name)
        var columns: [AttributeColumn] = []
        for range in found {
            columns.append(
                range.isEmpty ? AttributeColumn(starts: starts) : try column(range, starts))
        }
        return .columns(columns)
    }

    private func starts(of name: Name) throws(Damage) -> [Int32] {
        var starts: [Int32] = [0]
        starts.reserveCapacity(parts + 1)
        var bits = reader.bits(name.counts, width: name.width)
        var total = 0
        for _ in 0..<parts {
            total += Int(bits.next(in: reader))
            guard let start = Int32(exactly: total) else { throw Damage() }
            starts.append(start)
        }
        return starts
    }

    private mutating func column(
        _ range: Range<Int>, _ starts: [Int32]
    ) throws(Damage) -> AttributeColumn {
        reader.seek(range.lowerBound)
        var decimals: [DecimalText] = []
        var (bytes, ends): ([UInt8], [UInt32]) = ([], [])
        switch reader.number() {
        case Form.decimals: try read(&decimals)
        case Form.texts: try read(&bytes, &ends)
        default: throw Damage()
        }
        let texts = UInt64(decimals.count + ends.count)
        let width = PackedWriter.width(of: texts)
        let events = Int(starts[starts.count - 1])
        let taken = reader.take(events, width: width)
        guard !reader.isBroken, reader.position == range.upperBound, texts > 0 else {
            throw Damage()
        }
        var bits = reader.bits(taken, width: width)
        for _ in 0..<events where bits.next(in: reader) > texts { throw Damage() }
        var codes = PackedReader()
        codes.load(PackedReader.padded(Array(reader[taken])))
        return AttributeColumn(
            starts: starts, codes: codes, codeBytes: taken.count, decimals: decimals,
            bytes: bytes, ends: ends)
    }

    private mutating func read(_ decimals: inout [DecimalText]) throws(Damage) {
        for _ in 0..<reader.count() {
            let after = Int(truncatingIfNeeded: reader.number())
            let count = reader.count()
            var digits: Int64 = 0
            for index in 0..<count {
                digits &+= index == 0 ? reader.signedNumber() : Int64(bitPattern: reader.number())
                guard let decimal = DecimalText(digits: digits, after: after) else {
                    throw Damage()
                }
                decimals.append(decimal)
            }
        }
    }

    private mutating func read(_ bytes: inout [UInt8], _ ends: inout [UInt32]) throws(Damage) {
        for _ in 0..<reader.count() {
            let length = reader.count()
            bytes += reader[reader.take(length)]
            if reader.isBroken { throw Damage() }
            ends.append(UInt32(truncatingIfNeeded: bytes.count))
        }
    }
}
