/// Numbers for row ids, from 0 in order of appearance, in memory that follows how many there are and not
/// how great they are: for what an app has few of. `RowCodes` is the like for devices.
struct RowNumbers: Sendable {
    private var rows: [Int64] = []
    private var slots = HashSlots()
    private var held: HeldOctets

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount) { held = HeldOctets(account) }

    /// The number of a row; nil if it was not here.
    @inline(__always)
    func known(_ row: Int64) -> Int? {
        slots.number(NumberHash.hash(UInt64(bitPattern: row))) { rows[$0] == row }
    }

    /// The number of a row, a new one if it was not here.
    mutating func number(of row: Int64) -> Int {
        if let known = known(row) { return known }
        let before = slots.octets
        slots.insert(rows.count, NumberHash.hash(UInt64(bitPattern: row)))
        held.add(slots.octets - before)
        rows.append(row, &held)
        return rows.count - 1
    }
}
