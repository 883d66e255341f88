/// What stands in the file for good and SQLite's own check does not compare, of the roots for the reason
/// that `StructureCheck` gives: the header's fields that are set once, the last root, and what the maps of
/// pages say of each (https://www.sqlite.org/fileformat2.html, 1.3 and 1.8).
struct FixedOctetsCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Compares them in the file, whatever the log has: for a file that was made whole.
    func run(_ findings: inout Findings) throws(StorageError) {
        // While one state is read, nothing newer goes to the file and the log keeps what it has.
        try connection.snapshot { () throws(StorageError) in
            let last = try checkRoots(&findings)
            try checkHeader(lastRoot: last, &findings)
        }
    }

    private func checkHeader(
        lastRoot: UInt32, _ findings: inout Findings
    ) throws(StorageError) {
        var page = [UInt8](repeating: 0, count: Connection.pageSize)
        guard try connection.readPage(1, into: &page) else { return }
        if page[52..<56].reduce(0, { $0 << 8 | UInt32($1) }) != lastRoot,
            try !connection.logHasPage(1)
        {
            findings.add(Finding("the file", "is damaged: its header names another last root"))
        }
        for (place, octets) in Self.header where page[place..<place + octets.count] != octets[...] {
            findings.add(Finding("the file", "is damaged: its header differs at octet \(place)"))
        }
        // The count of changes, and the one that its length in pages belongs to.
        if page[24..<28] != page[92..<96] {
            findings.add(Finding("the file", "is damaged: its header differs at octet 24"))
        }
    }

    /// From the commit that made a tree on the entry of its root says so.
    /// - Returns: the last root's page
    private func checkRoots(_ findings: inout Findings) throws(StorageError) -> UInt32 {
        let roots = try connection.prepare(
            "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 1 ORDER BY rootpage")
        var map = [UInt8](repeating: 0, count: Connection.pageSize)
        var last: UInt32 = 1
        while try roots.step() {
            last = UInt32(clamping: roots.int(1))
            guard
                let place = PageGap.map(of: Int(roots.int(1)), pageSize: Connection.pageSize)
            else { continue }
            if try connection.readPage(place.page, into: &map),
                map[place.offset..<place.offset + 5] == [PageGap.root, 0, 0, 0, 0]
            {
                continue
            }
            // One that somebody has just made may be in the log alone.
            if try connection.logHasPage(place.page) { continue }
            findings.add(
                Finding(
                    "the file",
                    "is damaged: page \(place.page) does not tell of \(roots.text(0))'s root"))
        }
        return last
    }

    /// Places, and what stands there: the title, 4,096 octets a page, a write-ahead log, no room kept at a
    /// page's end; the schema's format and no size of a cache; UTF-8, no version of a user's, and pages
    /// are given back when asked; whose file it is, and what is kept for later.
    private static let header: [(Int, [UInt8])] = [
        (0, Array("SQLite format 3\0".utf8) + [16, 0, 2, 2, 0, 64, 32, 32]),
        (44, [0, 0, 0, 4, 0, 0, 0, 0]),
        (56, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]),
        (68, Array("SJRN".utf8) + [UInt8](repeating: 0, count: 20)),
    ]
}
