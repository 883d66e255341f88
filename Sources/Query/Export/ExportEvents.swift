import Database
import Storage

/// The rows of the next events of an export, read in the order of their ids: one query reads
/// neighbours. What it holds of a page is bounded, and released when the page is written.
struct ExportEvents: ~Copyable {
    /// The row of an event.
    struct Event {
        /// Arrival − time, milliseconds.
        let late: Int64
        /// Row of its name.
        let name: Int64
        /// Index of its session in its batch; −1 without one.
        let session: Int64
        /// The range of its attributes in `attributes`; nil without any.
        let attributes: Range<Int>?
    }

    /// The outcome of reading one event.
    enum Slot {
        /// The page was full before it: the caller has to read it again.
        case unread
        /// The event is no longer stored.
        case gone
        case event(Event)
    }

    /// In the order of the rows given to `read`.
    private(set) var slots: [Slot] = []
    /// The attributes of all events read.
    private(set) var attributes: [UInt8] = []

    private let statement: Statement
    private var order: [(row: Int64, slot: Int)] = []

    /// How many bytes the attributes may take, not counting those of the last event.
    private static let limit = 1 << 20
    /// Up to this many unwanted rows between two wanted ones are read rather than skipped by a new
    /// query.
    private static let gap: Int64 = 8

    /// Without events. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        statement = try reading.prepare(
            "SELECT id, late, name, session, attributes FROM event WHERE id >= ?1 AND id <= ?2")
    }

    /// Reads the events of these rows, the first one even if its attributes exceed the limit.
    /// Throws what the database throws.
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
        _ wanted: ArraySlice<(row: Int64, slot: Int)>
    ) throws(StorageError) {
        guard let first = wanted.first, let last = wanted.last else { return }
        try statement.bind(1, first.row)
        try statement.bind(2, last.row)
        defer { statement.reset() }
        var next = wanted.startIndex
        while next < wanted.endIndex, try statement.step() {
            let row = statement.int(0)
            while next < wanted.endIndex, wanted[next].row < row {
                slots[wanted[next].slot] = .gone
                next += 1
            }
            guard next < wanted.endIndex, wanted[next].row == row else { continue }
            slots[wanted[next].slot] = .event(event())
            next += 1
            if attributes.count >= Self.limit { return }
        }
        for other in wanted[next...] { slots[other.slot] = .gone }
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
