import Database

/// The header in the database file, and what in it can only be damage
/// (https://www.sqlite.org/fileformat2.html, 1.3). SQLite trusts most of it, and goes on writing.
package struct FileHeader {
    private let bytes: [UInt8]

    /// Nil where the file has no first page.
    package init?(of connection: Connection) throws(StorageError) {
        var page = [UInt8](repeating: 0, count: Connection.pageSize)
        guard try connection.readPage(1, into: &page) else { return nil }
        bytes = page
    }

    /// The last page that is the root of a table or an index.
    package var lastRoot: Int { number(at: 52) }

    /// What is wrong with it.
    package enum Fault: Equatable, Sendable {
        /// SQLite never writes it so. The name of what is wrong.
        case damaged(String)
        /// A person has changed it, and `pragma` sets it back.
        case changed(String, pragma: String)

        /// Ends a sentence about the file.
        package var found: String {
            switch self {
            case .damaged(let name): "its header's \(name) is not what it was"
            case .changed(let name, _): "somebody changed its \(name)"
            }
        }

        /// What sets it back; nil for damage.
        package var remedy: String? {
            if case .changed(_, let pragma) = self {
                "set it back with PRAGMA \(pragma)"
            } else {
                nil
            }
        }
    }

    /// What is wrong with it, damage first. Within a transaction that has read.
    ///
    /// None where the WAL has the page too: SQLite reads that one, and the one in the file may be half
    /// written.
    /// - Parameter application: what `application_id` has to be, 4 bytes
    package func faults(
        on connection: Connection, application: [UInt8]
    ) throws(StorageError) -> [Fault] {
        let isChanged: (Field) -> Bool = {
            bytes[$0.offset..<$0.offset + $0.bytes.count] != $0.bytes[...]
        }
        let changed = (Self.pragmas + [Self.applicationID(application)]).filter {
            isChanged($0.field)
        }
        var wrong = Self.fields.filter(isChanged).map(\.name)
        if number(at: 24) != number(at: 92) { wrong.append("count of changes") }
        let root = try connection.integer(
            "SELECT max(1, coalesce(max(rootpage), 1)) FROM sqlite_schema")
        // Without maps of pages none is the last: somebody's VACUUM has left them out.
        let hasNoMaps = lastRoot == 0 && changed.contains { $0.field.name == Self.autoVacuum }
        if root != Int64(lastRoot), !hasNoMaps { wrong.append("last root") }
        let (pages, firstFree, free) = (number(at: 28), number(at: 32), number(at: 36))
        if firstFree > pages || free >= pages || (firstFree == 0) != (free == 0) {
            wrong.append("list of free pages")
        }
        if wrong.isEmpty, changed.isEmpty { return [] }
        if try connection.walHasPage(1) { return [] }
        return wrong.map { .damaged($0) }
            + changed.map {
                let isMaps = hasNoMaps && $0.field.name == Self.autoVacuum
                return .changed($0.field.name, pragma: $0.pragma + (isMaps ? "; VACUUM" : ""))
            }
    }

    /// Of four bytes.
    private func number(at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private struct Field {
        let offset: Int
        let bytes: [UInt8]
        let name: String
    }

    private static let autoVacuum = "auto_vacuum"

    /// What a person can change with SQLite's shell, and how it is changed back.
    private static let pragmas = [
        (
            field: Field(offset: 60, bytes: [0, 0, 0, 0], name: "user_version"),
            pragma: "user_version=0"
        ),
        (
            field: Field(offset: 64, bytes: [0, 0, 0, 1], name: autoVacuum),
            pragma: "auto_vacuum=INCREMENTAL"
        ),
    ]

    private static func applicationID(_ bytes: [UInt8]) -> (field: Field, pragma: String) {
        let number = bytes.reduce(0) { $0 << 8 | Int($1) }
        return (
            Field(offset: 68, bytes: bytes, name: "application_id"), "application_id=\(number)"
        )
    }

    private static let fields = [
        Field(offset: 0, bytes: Array("SQLite format 3\0".utf8), name: "title"),
        Field(offset: 16, bytes: [16, 0], name: "size of a page"),
        Field(offset: 18, bytes: [2, 2], name: "kind of log"),
        Field(offset: 20, bytes: [0, 64, 32, 32], name: "room for what is in a page"),
        Field(offset: 44, bytes: [0, 0, 0, 4], name: "format of the schema"),
        Field(offset: 48, bytes: [0, 0, 0, 0], name: "size of the cache"),
        Field(offset: 56, bytes: [0, 0, 0, 1], name: "encoding of texts"),
        Field(offset: 72, bytes: [UInt8](repeating: 0, count: 20), name: "reserve"),
    ]
}
