/// Collects the rows of a `PackedTable`.
struct PackedTableWriter {
    private let columns: Int
    /// Row after row.
    private var numbers: [Int64] = []

    /// One without rows.
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
            var (least, most) = (Int64.max, Int64.min)
            for place in stride(from: column, to: rows * columns, by: columns) {
                least = min(least, numbers[place])
                most = max(most, numbers[place])
            }
            if rows == 0 { (least, most) = (0, 0) }
            bases.append(least)
            widths.append(PackedWriter.width(of: UInt64(bitPattern: most &- least)))
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
