import Columns
import Database
import Events
import Storage

/// Names of events that were read just now, by number: a batch's events have few, again and again.
struct SpoolNames: ~Copyable {
    /// A name, and the attribute that is the subject of its events.
    struct Entry {
        let row: Int64
        /// Where it stands in `texts`.
        let text: Range<Int>
        let subject: StandardAttribute?
    }

    /// Names that are known at once, a power of two.
    private static let places = 64
    /// Bytes of names: with more it begins again.
    private static let room = 1 << 16

    private(set) var texts: [UInt8] = []
    private var entries = [Entry?](repeating: nil, count: places)

    /// Forgets all: their numbers may be others' by now.
    mutating func removeAll() {
        texts.removeAll(keepingCapacity: true)
        for index in entries.indices { entries[index] = nil }
    }

    @inline(__always)
    mutating func entry(
        _ row: Int64, _ words: inout SpoolWords
    ) throws(StorageError) -> Entry {
        let place = Int(truncatingIfNeeded: row) & (Self.places - 1)
        if let entry = entries[place], entry.row == row { return entry }
        return try find(row, place, &words)
    }

    @inline(never)
    private mutating func find(
        _ row: Int64, _ place: Int, _ words: inout SpoolWords
    ) throws(StorageError) -> Entry {
        let name = try words.name(row)
        if texts.count > Self.room { removeAll() }
        let start = texts.count
        texts += name.text
        let entry = Entry(row: row, text: start..<texts.count, subject: name.subject)
        entries[place] = entry
        return entry
    }
}
