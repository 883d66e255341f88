/// Short lists of devices, by their rows, each once, all in one piece of memory. A list has a length of
/// 4, 8 or 16 places, of which the first says how many of the others are in use; where it is full,
/// it moves to a longer one. Lists are known by where they begin.
struct DeviceLists: Sendable {
    /// What became of a device.
    enum Outcome {
        /// The list has it.
        case isThere
        /// The list has it now, and is the one of this number from now on.
        case moved(UInt32)
        /// No list can take it: it stays as it is.
        case isFull
    }

    /// The first is nobody's: no list has the number 0. Lists begin at multiples of 4.
    private var cells: [UInt32] = [0, 0, 0, 0]
    /// By length: a list that is free, or 0; its second place has the next one.
    private var free = [UInt32](repeating: 0, count: lengths)
    private var held: HeldBytes

    private static let lengths = 3

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// A list of two; nil where their rows are too great for one.
    mutating func make(_ a: Int64, _ b: Int64) -> UInt32? {
        guard let a = UInt32(exactly: a), let b = UInt32(exactly: b),
            let list = take(0)
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

    /// Moves a full list, which gets a row, to a longer one.
    private mutating func move(
        _ row: UInt32, from list: UInt32, _ count: Int, _ kind: Int
    ) -> Outcome {
        let start = Int(list) * 4
        guard kind + 1 < Self.lengths, let longer = take(kind + 1) else { return .isFull }
        let end = Int(longer) * 4
        for place in 1...count { cells[end + place] = cells[start + place] }
        cells[end] = UInt32(kind + 1) << 8 | UInt32(count + 1)
        cells[end + count + 1] = row
        give(list, kind)
        return .moved(longer)
    }

    /// Looks at all, however early it is found: so several are compared at once.
    @inline(__always)
    private func has(_ row: UInt32, in places: Range<Int>) -> Bool {
        let rows = cells.span.extracting(places)
        var found: UInt32 = 0
        for place in rows.indices { found |= rows[place] == row ? 1 : 0 }
        return found == 1
    }

    /// How many devices a list has.
    func count(of list: UInt32) -> Int { Int(cells[Int(list) * 4] & 0xff) }

    /// The rows of a list.
    func rows(of list: UInt32) -> [Int64] {
        let start = Int(list) * 4
        return cells[start + 1...start + count(of: list)].map { Int64($0) }
    }

    /// Takes a list away.
    /// - Returns: its rows
    mutating func remove(_ list: UInt32) -> [Int64] {
        let rows = rows(of: list)
        give(list, Int(cells[Int(list) * 4] >> 8))
        return rows
    }

    /// Nil where there are too many.
    private mutating func take(_ kind: Int) -> UInt32? {
        let list = free[kind]
        if list > 0 {
            free[kind] = cells[Int(list) * 4 + 1]
            return list
        }
        // Numbers have 31 bits, since their owner needs one.
        guard let new = UInt32(exactly: cells.count / 4), new < 1 << 31 else { return nil }
        let more = 4 << kind
        if cells.count + more > cells.capacity { cells.grow(more, &held) }
        cells += repeatElement(0, count: more)
        return new
    }

    private mutating func give(_ list: UInt32, _ kind: Int) {
        cells[Int(list) * 4 + 1] = free[kind]
        free[kind] = list
    }
}
