import Database

/// The header of the database file as it stands in the file, and what of it can only be damage
/// (https://www.sqlite.org/fileformat2.html, 1.3). SQLite believes most of it, and writes on.
package struct FileHeader {
    private let octets: [UInt8]

    /// Nil where the file has no first page.
    package init?(of connection: Connection) throws(StorageError) {
        var page = [UInt8](repeating: 0, count: Connection.pageSize)
        guard try connection.readPage(1, into: &page) else { return nil }
        octets = page
    }

    /// The last page that is the root of a table or an index.
    package var lastRoot: Int { number(at: 52) }

    /// What is wrong with it. In a transaction that has read.
    ///
    /// None where the log has the page too: SQLite reads that one, and the one in the file may be half
    /// written.
    /// - Parameter application: what `application_id` has to be, 4 bytes
    package func faults(
        on connection: Connection, application: [UInt8]
    ) throws(StorageError) -> [String] {
        let fields = Self.fields + [Field(place: 68, octets: application, name: "application")]
        var wrong = fields.filter {
            octets[$0.place..<$0.place + $0.octets.count] != $0.octets[...]
        }
        .map(\.name)
        if number(at: 24) != number(at: 92) { wrong.append("count of changes") }
        let root = try connection.integer(
            "SELECT max(1, coalesce(max(rootpage), 1)) FROM sqlite_schema")
        if root != Int64(lastRoot) { wrong.append("last root") }
        let (pages, firstFree, free) = (number(at: 28), number(at: 32), number(at: 36))
        if firstFree > pages || free >= pages || (firstFree == 0) != (free == 0) {
            wrong.append("list of free pages")
        }
        if wrong.isEmpty { return [] }
        if try connection.logHasPage(1) { return [] }
        return wrong.map { "its header's \($0) is not what it was" }
    }

    /// Of four octets.
    private func number(at place: Int) -> Int {
        octets[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private struct Field {
        let place: Int
        let octets: [UInt8]
        let name: String
    }

    private static let fields = [
        Field(place: 0, octets: Array("SQLite format 3\0".utf8), name: "title"),
        Field(place: 16, octets: [16, 0], name: "size of a page"),
        Field(place: 18, octets: [2, 2], name: "kind of log"),
        Field(place: 20, octets: [0, 64, 32, 32], name: "room for what is in a page"),
        Field(place: 44, octets: [0, 0, 0, 4], name: "format of the schema"),
        Field(place: 48, octets: [0, 0, 0, 0], name: "size of the cache"),
        Field(place: 56, octets: [0, 0, 0, 1], name: "encoding of texts"),
        Field(place: 60, octets: [0, 0, 0, 0], name: "user version"),
        Field(place: 64, octets: [0, 0, 0, 1], name: "way to give pages back"),
        Field(place: 72, octets: [UInt8](repeating: 0, count: 20), name: "reserve"),
    ]
}
