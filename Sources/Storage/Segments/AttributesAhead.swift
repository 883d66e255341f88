import Columns
import Database

/// The segments that one scan takes from its list: one after the other, or, where columns of attributes
/// have to be made of rows, some at once. Their batches are the same in part, and each is read once for all of
/// them.
struct AttributesAhead: ~Copyable {
    private let list: SegmentList
    /// Those that were taken at once and that the scan has not come to, the next one first.
    private var taken: ArraySlice<Int> = []
    /// Their columns, by name and by index.
    private var columns: [Int64: [Int: [AttributeColumn]]] = [:]
    /// Bytes that these take.
    private var bytes = 0
    /// How many events columns are made for at once, now that it is known how long their texts are.
    private var eventsAtOnce = Segment.maxEvents

    /// The maximum of events of a name for which columns are made at once, and of the bytes these may
    /// take: each takes some 40 meanwhile, and its texts.
    private static let maxEventsAtOnce = 1 << 18
    private static let maxBytesAtOnce = 12 << 20
    private static let bytesPerEvent = 40

    /// Of no segment yet.
    init(_ list: SegmentList) { self.list = list }

    deinit { list.account?.add(-bytes) }

    /// Takes the next segment: its index; nil where none is left.
    mutating func next() -> Int? { taken.popFirst() ?? list.take() }

    /// Of the events of a name in a segment that was taken, what they have for some attributes: from memory, or
    /// else from their rows. Throws what the database throws, and `damaged`.
    /// - Parameters:
    ///   - keys: the same each time
    ///   - name: its row
    mutating func attributes(
        _ keys: [AttributeKey], ofName name: Int64, at index: Int
    ) throws(StorageError) -> [AttributeColumn] {
        if let found = columns[name]?.removeValue(forKey: index) {
            hold(-Self.bytes(of: found))
            return found
        }
        if let known = try list.known(keys, name, index) { return known }
        return try make(keys, name, from: index)
    }

    /// For a segment and those that come after it.
    private mutating func make(
        _ keys: [AttributeKey], _ name: Int64, from first: Int
    ) throws(StorageError) -> [AttributeColumn] {
        var rows = AttributeRows(keys, ofName: name, list.account)
        var indices = [first]
        var next = taken.startIndex
        try list.asking { (file) throws(StorageError) in
            try rows.add(list.read(first, [.times, .names], file), list.damage)
            while rows.count < eventsAtOnce {
                if next == taken.endIndex {
                    guard let more = list.take() else { return }
                    taken.append(more)
                }
                let index = taken[next]
                next += 1
                if columns[name]?[index] != nil { continue }
                // Others may have blocks too: these are for all threads. That goes for one without the name as well.
                if try list.known(keys, name, index, file) != nil { return }
                try rows.add(list.read(index, [.times, .names], file), list.damage)
                indices.append(index)
            }
        }
        let count = rows.count
        var found: [AttributeColumn] = []
        var all = 0
        for (index, made) in zip(indices, try list.columns(of: &rows)) {
            all += Self.bytes(of: made)
            list.remember(made, keys, name, index)
            if index == first {
                found = made
            } else {
                columns[name, default: [:]][index] = made
                hold(Self.bytes(of: made))
            }
        }
        let ofEvent = all / max(count, 1) + Self.bytesPerEvent
        eventsAtOnce = min(Self.maxBytesAtOnce / ofEvent, Self.maxEventsAtOnce)
        return found
    }

    private mutating func hold(_ more: Int) {
        bytes += more
        list.account?.add(more)
    }

    private static func bytes(of columns: [AttributeColumn]) -> Int {
        columns.reduce(0) { $0 + $1.size }
    }
}
