/// What stands in the file for good and SQLite's own check does not compare, of the roots for the reason
/// that `StructureCheck` gives: the header's fields that are set once, the last root, and what the maps of
/// pages say of each (https://www.sqlite.org/fileformat2.html, 1.3 and 1.8).
///
/// It looks into the file itself. A page that the log has too is passed over: SQLite reads that one, and
/// the one in the file may be half written.
struct FixedOctetsCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        // While one state is read nothing newer goes to the file, and the log keeps what it has.
        try connection.snapshot { () throws(StorageError) in
            let roots = try roots()
            var header = [UInt8](repeating: 0, count: Connection.pageSize)
            guard try connection.readPage(1, into: &header) else { return }
            try checkHeader(header, lastRoot: roots.last?.page ?? 1, &findings)
            // Without one it has no maps.
            if number(header, 52) == 0 { return }
            for root in roots { try check(root, &findings) }
        }
    }

    private struct Root {
        let name: String
        let page: Int
    }

    /// In order of their pages; the first page is the schema's, and in no map.
    private func roots() throws(StorageError) -> [Root] {
        let rows = try connection.prepare(
            """
            SELECT name, rootpage FROM sqlite_schema
            WHERE type IN ('table', 'index') AND rootpage > 1 ORDER BY rootpage
            """)
        var roots: [Root] = []
        while try rows.step() { roots.append(Root(name: rows.text(0), page: Int(rows.int(1)))) }
        return roots
    }

    private func checkHeader(
        _ header: [UInt8], lastRoot: Int, _ findings: inout Findings
    ) throws(StorageError) {
        var wrong = Self.fields.filter {
            header[$0.place..<$0.place + $0.octets.count] != $0.octets[...]
        }
        .map(\.name)
        if number(header, 24) != number(header, 92) { wrong.append("count of changes") }
        if number(header, 52) != lastRoot { wrong.append("last root") }
        if wrong.isEmpty { return }
        if try connection.logHasPage(1) { return }
        for name in wrong {
            findings.add(
                Finding("the file", "is damaged: its header's \(name) is not what it was"))
        }
    }

    /// From the commit that made a tree on the entry of its root says so.
    private func check(_ root: Root, _ findings: inout Findings) throws(StorageError) {
        guard let place = PageGap.map(of: root.page, pageSize: Connection.pageSize) else { return }
        // A map is nobody's root.
        if place.offset >= 0 {
            var map = [UInt8](repeating: 0, count: Connection.pageSize)
            if try connection.readPage(place.page, into: &map),
                map[place.offset..<place.offset + 5] == [PageGap.root, 0, 0, 0, 0]
            {
                return
            }
            // The log alone may have the map of a tree that was just made.
            if try connection.logHasPage(place.page) { return }
        }
        findings.add(
            Finding(
                "the file",
                "is damaged: page \(place.page) does not tell of \(root.name)'s root"))
    }

    /// Four octets of the header.
    private func number(_ header: [UInt8], _ place: Int) -> Int {
        header[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
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
        Field(place: 68, octets: DatabaseFile.applicationOctets, name: "application"),
        Field(place: 72, octets: [UInt8](repeating: 0, count: 20), name: "reserve"),
    ]
}
