/// Numbers for row ids, from 0 in order of appearance. Their memory grows with how many rows there
/// are, not with the greatest: for what an app has few of. `RowCodes` does the same for devices.
struct RowNumbers: Sendable {
    private var rows: [Int64] = []
    private var slots = HashSlots()
    /// The rows found last, by their lowest bits: most are asked for again soon.
    private var recent = [Recent](repeating: Recent(row: .min, number: 0), count: recentCount)
    private var held: HeldBytes

    private struct Recent {
        let row: Int64
        let number: Int
    }

    /// A power of two.
    private static let recentCount = 64

    /// An empty set of rows.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// The number of a row; nil if it has none.
    @inline(__always)
    mutating func known(_ row: Int64) -> Int? {
        let recent = recent[Int(truncatingIfNeeded: row) & (Self.recentCount - 1)]
        // An empty entry has the least row, which no row id is.
        return recent.row == row && row != .min ? recent.number : find(row)
    }

    @inline(never)
    private mutating func find(_ row: Int64) -> Int? {
        let number = slots.number(NumberHash.hash(UInt64(bitPattern: row))) { rows[$0] == row }
        guard let number else { return nil }
        recent[Int(truncatingIfNeeded: row) & (Self.recentCount - 1)] = Recent(
            row: row, number: number)
        return number
    }

    /// The number of a row, a new one if it has none.
    mutating func number(of row: Int64) -> Int {
        if let known = known(row) { return known }
        let before = slots.allocatedBytes
        slots.insert(rows.count, NumberHash.hash(UInt64(bitPattern: row)))
        held.add(slots.allocatedBytes - before)
        rows.append(row, &held)
        return rows.count - 1
    }
}
