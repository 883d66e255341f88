/// Numbers for row ids, from 0 in order of appearance, in memory that follows how many there are and not
/// how great they are: for what an app has few of. `RowCodes` is the like for devices.
struct RowNumbers: Sendable {
    private var rows: [Int64] = []
    private var slots = HashSlots()
    /// Where rows were found of late, by their lowest bits: most are asked for again before long.
    private var recent = [Recent](repeating: Recent(row: .min, number: 0), count: recentCount)
    private var held: HeldBytes

    private struct Recent {
        let row: Int64
        let number: Int
    }

    /// A power of two.
    private static let recentCount = 64

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldBytes(account) }

    /// The number of a row; nil if it was not here.
    @inline(__always)
    mutating func known(_ row: Int64) -> Int? {
        let recent = recent[Int(truncatingIfNeeded: row) & (Self.recentCount - 1)]
        // Of none the row is the least: nobody has it.
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

    /// The number of a row, a new one if it was not here.
    mutating func number(of row: Int64) -> Int {
        if let known = known(row) { return known }
        let before = slots.allocatedBytes
        slots.insert(rows.count, NumberHash.hash(UInt64(bitPattern: row)))
        held.add(slots.allocatedBytes - before)
        rows.append(row, &held)
        return rows.count - 1
    }
}
