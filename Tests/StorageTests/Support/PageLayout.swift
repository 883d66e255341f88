import Foundation

@testable import Database
@testable import Storage

/// Where the cells of a database file's trees lie, read without SQLite (SQLite, Database File Format,
/// §1.6). Payload that goes on in other pages is left out there.
struct PageLayout {
    private(set) var cellOctets: [Int] = []
    /// Octets in cells of which SQLite reads nothing: the type of a column that is the row id.
    private(set) var unread: Set<Int> = []

    init(_ data: Data) {
        // The second page is a map of parents.
        for page in 0..<(data.count / Connection.pageSize) where page != 1 {
            let begin = page * Connection.pageSize
            let header = page == 0 ? begin + 100 : begin
            let kind = data[header]
            guard [2, 5, 10, 13].contains(kind) else { continue }
            let count = Int(data[header + 3]) << 8 | Int(data[header + 4])
            for cell in 0..<count {
                let at = header + (kind < 6 ? 12 : 8) + 2 * cell
                add(cell: begin + (Int(data[at]) << 8 | Int(data[at + 1])), kind: kind, data)
            }
        }
    }

    private mutating func add(cell start: Int, kind: UInt8, _ data: Data) {
        var place = start + (kind < 6 ? 4 : 0)
        func number() -> Int {
            var value = 0
            while true {
                let octet = data[place]
                place += 1
                value = value << 7 | Int(octet & 0x7f)
                if octet < 0x80 { return value }
            }
        }
        var payload = 0
        if kind != 5 { payload = number() }
        if kind == 5 || kind == 13 { _ = number() }
        let most =
            kind == 13 ? Connection.pageSize - 35 : (Connection.pageSize - 12) * 64 / 255 - 23
        let least = (Connection.pageSize - 12) * 32 / 255 - 23
        let end = place + (payload <= most ? payload : least)
        // The record's header: its length, then a type a column; 0 first is null, for the row id.
        if kind == 13, data[place] < 0x80, data[place + 1] == 0 { unread.insert(place + 1) }
        cellOctets += (start..<end).filter { !unread.contains($0) }
    }
}
