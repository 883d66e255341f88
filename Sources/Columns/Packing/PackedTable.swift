/// Rows of numbers in which each column takes as many bits as its numbers need to differ, so that a
/// number is found by its index, without reading those before it. `PackedTableWriter` writes it.
struct PackedTable {
    /// A column, to go through its rows one after the other.
    struct Column {
        /// The smallest number.
        fileprivate let base: Int64
        /// Where it begins in a row.
        fileprivate let bit: Int
        fileprivate let mask: UInt64
        /// Its numbers may lie in more than eight bytes.
        fileprivate let isWide: Bool

        /// The number in the row that begins at a bit of the table's.
        @inline(__always)
        func number(ofRowAt start: Int, in reader: borrowing PackedReader) -> Int64 {
            let bit = start &+ bit
            let shift = UInt64(truncatingIfNeeded: bit & 7)
            var number = reader.word(at: bit &>> 3) &>> shift
            if isWide { number |= reader.word(at: bit &>> 3 &+ 8) << (64 &- shift) }
            return base &+ Int64(bitPattern: number & mask)
        }
    }

    /// How many there are.
    private(set) var rows = 0
    private var columns: [Column] = []
    private var start = 0
    private var rowBits = 0

    /// A table without rows.
    init() {}

    /// Reads the table at a reader's position; without rows where the table is invalid.
    init(_ columns: Int, in reader: inout PackedReader) {
        let rows = reader.count()
        for _ in 0..<columns {
            let base = reader.signedNumber()
            let width = reader.number()
            guard width <= 64 else {
                reader.refuse()
                return
            }
            self.columns.append(
                Column(
                    base: base, bit: rowBits, mask: width == 0 ? 0 : ~0 >> (64 - width),
                    isWide: width > 57))
            rowBits += Int(width)
        }
        start = reader.take(PackedReader.bytes(of: rows, width: rowBits)).lowerBound &* 8
        if !reader.isBroken { self.rows = rows }
    }

    /// The number in a column of a row, which is less than `rows`.
    @inline(__always)
    func number(_ column: Int, of row: Int, in reader: borrowing PackedReader) -> Int64 {
        columns[column].number(ofRowAt: bit(ofRow: row), in: reader)
    }

    /// The bit at which a row begins, for `Column.number`.
    @inline(__always)
    func bit(ofRow row: Int) -> Int { start &+ row &* rowBits }

    /// A column by its index; of a table without rows it has no number.
    func column(_ index: Int) -> Column { columns[index] }
}

/// Collects the rows of a `PackedTable`.
struct PackedTableWriter {
    private let columns: Int
    /// Row after row.
    private var numbers: [Int64] = []

    /// A table without rows.
    init(columns: Int) { self.columns = columns }

    /// The next number of the row, or the first of the next row.
    mutating func append(_ number: Int64) { numbers.append(number) }

    /// Writes all rows.
    func write(to out: inout PackedWriter) {
        let rows = numbers.count / columns
        out.append(UInt64(rows))
        var bases: [Int64] = []
        var widths: [UInt64] = []
        for column in 0..<columns {
            var (least, greatest) = (Int64.max, Int64.min)
            for index in stride(from: column, to: rows * columns, by: columns) {
                least = min(least, numbers[index])
                greatest = max(greatest, numbers[index])
            }
            if rows == 0 { (least, greatest) = (0, 0) }
            bases.append(least)
            widths.append(PackedWriter.width(of: UInt64(bitPattern: greatest &- least)))
            out.append(signed: least)
            out.append(widths[column])
        }
        for row in 0..<rows {
            for column in 0..<columns {
                let number = numbers[row * columns + column] &- bases[column]
                out.append(wide: UInt64(bitPattern: number), width: widths[column])
            }
        }
        out.align()
    }
}
