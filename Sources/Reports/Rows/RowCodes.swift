/// Numbers for row ids, from 0 in order of appearance.
struct RowCodes: Sendable {
    /// Rows that are looked up by their place; beyond that by hash.
    private static let dense: Int64 = 1 << 20

    /// The row of each number.
    private(set) var rows: [Int64] = []
    /// Number + 1 by row; 0 is none yet.
    private var places: [UInt32] = []
    private var others: [Int64: Int] = [:]

    /// How many there are.
    var count: Int { rows.count }

    /// Gives numbers to the rows of another.
    /// - Returns: by the other's numbers, those here
    mutating func merge(_ other: RowCodes) -> [Int] { other.rows.map { code(of: $0) } }

    /// The number of a row; nil if it was not here.
    func known(_ row: Int64) -> Int? {
        guard row >= 0, row < Self.dense else { return others[row] }
        let place = Int(row)
        return place < places.count && places[place] != 0 ? Int(places[place]) - 1 : nil
    }

    /// The number of a row, a new one if it was not here.
    mutating func code(of row: Int64) -> Int {
        guard row >= 0, row < Self.dense else {
            if let code = others[row] { return code }
            rows.append(row)
            others[row] = rows.count - 1
            return rows.count - 1
        }
        let place = Int(row)
        if place >= places.count {
            places += repeatElement(0, count: max(place + 1 - places.count, places.count))
        }
        if places[place] != 0 { return Int(places[place]) - 1 }
        rows.append(row)
        places[place] = UInt32(rows.count)
        return rows.count - 1
    }
}
