/// Numbers for row ids, from 0 in order of appearance. Rows that are near each other share a page:
/// rows between them, of other apps perhaps, take next to nothing.
struct RowCodes: Sendable {
    /// Rows below this are looked up by index, the others by hash.
    private static let dense: Int64 = 1 << 28
    /// A page has 2^pageBits rows.
    private static let pageBits: Int64 = 6

    /// The row of each number.
    private(set) var rows: [Int64] = []
    /// The offset of each page in `entries`, by the rows' upper bits; 0: no page yet.
    private var pages: [UInt32] = []
    /// Number + 1 by row, page after page; 0: no number yet. The first page stays empty.
    private var entries = [UInt32](repeating: 0, count: 1 << Int(pageBits))
    private var others = HashSlots(slots: 2)
    private var held: HeldBytes

    /// An empty set of rows.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// How many rows have a number.
    var count: Int { rows.count }

    /// Gives numbers to the rows of another.
    /// - Returns: the numbers here, by the other's numbers
    mutating func merge(_ other: RowCodes) -> [Int] { other.rows.map { code(of: $0) } }

    /// The number of a row; nil if it has none.
    @inline(__always)
    func known(_ row: Int64) -> Int? {
        guard row >= 0, row < Self.dense else { return far(row) }
        let entry = entry(of: row)
        return entry == 0 ? nil : entry - 1
    }

    /// The number + 1 of a row below `dense`; 0 where it has none. For many rows, of which some are new: nothing is
    /// decided here that a processor could not foresee.
    @inline(__always)
    func entry(of row: Int64) -> Int {
        let page = Int(truncatingIfNeeded: row >> Self.pageBits)
        guard row >= 0, page < pages.count else { return 0 }
        // A missing page is the first one, which is empty.
        return Int(entries[Int(pages[page]) + Self.offset(of: row)])
    }

    /// The number of a row, a new one if it has none.
    @inline(__always)
    mutating func code(of row: Int64) -> Int { known(row) ?? add(row) }

    private func far(_ row: Int64) -> Int? {
        others.number(NumberHash.hash(UInt64(bitPattern: row))) { rows[$0] == row }
    }

    @inline(__always)
    private static func offset(of row: Int64) -> Int { Int(row & (1 << pageBits - 1)) }

    @inline(never)
    private mutating func add(_ row: Int64) -> Int {
        let code = rows.count
        rows.append(row, &held)
        guard row >= 0, row < Self.dense else {
            let before = others.allocatedBytes
            others.insert(code, NumberHash.hash(UInt64(bitPattern: row)))
            held.add(others.allocatedBytes - before)
            return code
        }
        let page = Int(row >> Self.pageBits)
        pages.append(repeating: 0, page + 1 - pages.count, &held)
        if pages[page] == 0 {
            pages[page] = UInt32(entries.count)
            entries.append(repeating: 0, 1 << Int(Self.pageBits), &held)
        }
        entries[Int(pages[page]) + Self.offset(of: row)] = UInt32(code + 1)
        return code
    }
}
