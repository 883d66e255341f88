import Database
import Storage

/// Names of events as the lines of a page have them.
struct ExportNames: ~Copyable {
    private let find: Statement
    private let path: String
    /// `,"name":"…"` by row.
    private var known: [Int64: [UInt8]] = [:]
    /// The one that was asked for last.
    private var last: (row: Int64, text: [UInt8]) = (-1, [])

    /// Names at most.
    private static let limit = 10_000

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        find = try reading.prepare("SELECT text FROM name WHERE id = ?1")
        path = reading.connection.path
    }

    /// Of the name in a row. Throws what the database throws, and `damaged` where there is none.
    mutating func text(of row: Int64) throws(StorageError) -> [UInt8] {
        if last.row == row { return last.text }
        let text: [UInt8]
        if let found = known[row] { text = found } else { text = try read(row) }
        last = (row, text)
        return text
    }

    private mutating func read(_ row: Int64) throws(StorageError) -> [UInt8] {
        try find.bind(1, row)
        defer { find.reset() }
        guard try find.step() else {
            throw .damaged(path: path, found: "an event has a name that is not there")
        }
        let text = Array(",\"name\":".utf8) + ByteText(bytes: find.blob(0)).json
        if known.count == Self.limit { known.removeAll(keepingCapacity: true) }
        known[row] = text
        return text
    }
}
