import Database
import Storage

/// The rows of the next events of an export, read in the order in which they lie: neighbours by one
/// search. What it keeps of a page is bounded, and gone when the page is written.
struct ExportEvents: ~Copyable {
    /// What is known of an event.
    struct Event {
        /// Arrival − time, milliseconds.
        let late: Int64
        /// Row of its name.
        let name: Int64
        /// Place of its session in its batch; −1 without one.
        let session: Int64
        /// In `attributes`; nil without any.
        let attributes: Range<Int>?
    }

    /// An event that was asked for.
    enum Slot {
        /// There was no more place for it: it has to be asked for again.
        case unread
        /// It is not there any more.
        case gone
        case event(Event)
    }

    /// In the order in which they were asked for.
    private(set) var slots: [Slot] = []
    /// What `Event.attributes` lie in.
    private(set) var attributes: [UInt8] = []

    private let statement: Statement
    private var order: [(row: Int64, place: Int)] = []

    /// Octets of attributes at most, but for the last one.
    private static let limit = 1 << 20
    /// As many rows that nobody asked for are read over rather than searched behind.
    private static let gap: Int64 = 8

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        statement = try reading.prepare(
            "SELECT id, late, name, session, attributes FROM event WHERE id >= ?1 AND id <= ?2")
    }

    /// Reads the events of these rows, the first one in any case. Throws what the database throws.
    mutating func read(_ rows: some Collection<Int64>) throws(StorageError) {
        attributes.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        order.removeAll(keepingCapacity: true)
        for row in rows {
            order.append((row, slots.count))
            slots.append(.unread)
        }
        if let first = order.first { try read([first]) }
        order.sort { $0.row < $1.row }
        var start = 0
        while start < order.count, attributes.count < Self.limit {
            var end = start + 1
            while end < order.count, order[end].row - order[end - 1].row <= Self.gap { end += 1 }
            try read(order[start..<end])
            start = end
        }
    }

    /// Reads neighbours.
    private mutating func read(
        _ wanted: ArraySlice<(row: Int64, place: Int)>
    ) throws(StorageError) {
        guard let first = wanted.first, let last = wanted.last else { return }
        try statement.bind(1, first.row)
        try statement.bind(2, last.row)
        defer { statement.reset() }
        var next = wanted.startIndex
        while next < wanted.endIndex, try statement.step() {
            let row = statement.int(0)
            while next < wanted.endIndex, wanted[next].row < row {
                slots[wanted[next].place] = .gone
                next += 1
            }
            guard next < wanted.endIndex, wanted[next].row == row else { continue }
            slots[wanted[next].place] = .event(event())
            next += 1
            if attributes.count >= Self.limit { return }
        }
        for other in wanted[next...] { slots[other.place] = .gone }
    }

    private mutating func event() -> Event {
        var range: Range<Int>?
        if !statement.isNull(4) {
            let start = attributes.count
            statement.withText(4) { text in
                text.withUnsafeBufferPointer { attributes += $0 }
            }
            range = start..<attributes.count
        }
        return Event(
            late: statement.int(1), name: statement.int(2), session: statement.optionalInt(3) ?? -1,
            attributes: range)
    }
}
