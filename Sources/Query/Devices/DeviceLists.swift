/// Short lists of devices, by their rows, each once, all in one array. A list has 4, 8 or 16 cells,
/// the first of which holds how many of the others are in use; a full list moves to a longer one.
/// The number of a list is a quarter of the offset at which it begins.
struct DeviceLists: Sendable {
    /// What an insertion did.
    enum Outcome {
        /// The list holds the device.
        case isThere
        /// The list holds the device, and has moved: this is its number from now on.
        case moved(UInt32)
        /// No list can hold the device: the list stays as it is.
        case isFull
    }

    /// The first four are unused, so that no list has the number 0. Lists begin at multiples of 4.
    private var cells: [UInt32] = [0, 0, 0, 0]
    /// By length: the number of a free list, or 0; the list's second cell holds the next free one.
    private var freeLists = [UInt32](repeating: 0, count: lengths)
    private var held: HeldBytes

    private static let lengths = 3

    /// Without lists.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// Makes a list of two devices; nil where their rows are too great for a cell.
    mutating func make(_ a: Int64, _ b: Int64) -> UInt32? {
        guard let a = UInt32(exactly: a), let b = UInt32(exactly: b),
            let list = allocate(0)
        else { return nil }
        cells[Int(list) * 4] = 2
        cells[Int(list) * 4 + 1] = a
        cells[Int(list) * 4 + 2] = b
        return list
    }

    /// Adds a device.
    mutating func insert(_ device: Int64, into list: UInt32) -> Outcome {
        guard let row = UInt32(exactly: device) else { return .isFull }
        let start = Int(list) &* 4
        let head = cells[start]
        let (count, kind) = (Int(head & 0xff), Int(head >> 8))
        if has(row, in: start &+ 1..<start &+ 1 &+ count) { return .isThere }
        if count &+ 1 < 4 << kind {
            cells[start] = head &+ 1
            cells[start &+ count &+ 1] = row
            return .isThere
        }
        return move(row, from: list, count, kind)
    }

    /// Moves a full list to a longer one, and adds a row to it.
    private mutating func move(
        _ row: UInt32, from list: UInt32, _ count: Int, _ kind: Int
    ) -> Outcome {
        let start = Int(list) * 4
        guard kind + 1 < Self.lengths, let longer = allocate(kind + 1) else { return .isFull }
        let end = Int(longer) * 4
        for index in 1...count { cells[end + index] = cells[start + index] }
        cells[end] = UInt32(kind + 1) << 8 | UInt32(count + 1)
        cells[end + count + 1] = row
        free(list, kind)
        return .moved(longer)
    }

    /// Compares all cells, however early one matches: so the processor compares several at once.
    @inline(__always)
    private func has(_ row: UInt32, in range: Range<Int>) -> Bool {
        let rows = cells.span.extracting(range)
        var found: UInt32 = 0
        for index in rows.indices { found |= rows[index] == row ? 1 : 0 }
        return found == 1
    }

    /// How many devices a list has.
    func count(of list: UInt32) -> Int { Int(cells[Int(list) * 4] & 0xff) }

    /// The rows of a list.
    func rows(of list: UInt32) -> [Int64] {
        let start = Int(list) * 4
        return cells[start + 1...start + count(of: list)].map { Int64($0) }
    }

    /// Removes a list.
    /// - Returns: its rows
    mutating func remove(_ list: UInt32) -> [Int64] {
        let rows = rows(of: list)
        free(list, Int(cells[Int(list) * 4] >> 8))
        return rows
    }

    /// The number of an unused list; nil where there are too many lists.
    private mutating func allocate(_ kind: Int) -> UInt32? {
        let list = freeLists[kind]
        if list > 0 {
            freeLists[kind] = cells[Int(list) * 4 + 1]
            return list
        }
        // Numbers have 31 bits, since `DevicesByGroup` uses the other one.
        guard let new = UInt32(exactly: cells.count / 4), new < 1 << 31 else { return nil }
        cells.append(repeating: 0, 4 << kind, &held)
        return new
    }

    private mutating func free(_ list: UInt32, _ kind: Int) {
        cells[Int(list) * 4 + 1] = freeLists[kind]
        freeLists[kind] = list
    }
}
