/// Numbers for row ids, from 0 in order of appearance. Rows that are near each other share a page: what
/// lies between them, other apps' rows perhaps, takes next to nothing.
struct RowCodes: Sendable {
    /// Rows that are looked up by their place; beyond that by hash.
    private static let dense: Int64 = 1 << 28
    /// Rows of a page.
    private static let pageBits: Int64 = 6

    /// The row of each number.
    private(set) var rows: [Int64] = []
    /// Where each page begins in `places`, by the rows' upper bits; 0 is none yet.
    private var pages: [UInt32] = []
    /// Number + 1 by row, page after page; 0 is none yet. The first page is nobody's.
    private var places = [UInt32](repeating: 0, count: 1 << Int(pageBits))
    private var others = HashSlots(slots: 2)
    private var held: HeldBytes

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// How many there are.
    var count: Int { rows.count }

    /// Gives numbers to the rows of another.
    /// - Returns: by the other's numbers, those here
    mutating func merge(_ other: RowCodes) -> [Int] { other.rows.map { code(of: $0) } }

    /// The number of a row; nil if it was not here.
    @inline(__always)
    func known(_ row: Int64) -> Int? {
        guard row >= 0, row < Self.dense else { return far(row) }
        let page = Int(row >> Self.pageBits)
        guard page < pages.count else { return nil }
        // Where there is no page it is the first one, which has nothing.
        let code = Int(places[Int(pages[page]) + Self.place(of: row)])
        return code == 0 ? nil : code - 1
    }

    /// The number of a row, a new one if it was not here.
    @inline(__always)
    mutating func code(of row: Int64) -> Int { known(row) ?? add(row) }

    private func far(_ row: Int64) -> Int? {
        others.number(NumberHash.hash(UInt64(bitPattern: row))) { rows[$0] == row }
    }

    @inline(__always)
    private static func place(of row: Int64) -> Int { Int(row & (1 << pageBits - 1)) }

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
        if page >= pages.count {
            let more = page + 1 - pages.count
            if page >= pages.capacity { pages.grow(more, &held) }
            pages += repeatElement(0, count: more)
        }
        if pages[page] == 0 {
            pages[page] = UInt32(places.count)
            let more = 1 << Int(Self.pageBits)
            if places.count + more > places.capacity { places.grow(more, &held) }
            places += repeatElement(0, count: more)
        }
        places[Int(pages[page]) + Self.place(of: row)] = UInt32(code + 1)
        return code
    }
}
