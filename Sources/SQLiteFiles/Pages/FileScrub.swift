import Database

/// Overwrites what moved rows left in the gaps of pages (`PageGap`), without SQLite, which never looks
/// there. That is safe only while the WAL is empty and nobody else writes.
package struct FileScrub {
    /// Pages of one step, some milliseconds.
    package static let pagesPerStep = 256

    private let connection: Connection

    /// - Parameter connection: to the database to scrub
    package init(_ connection: Connection) { self.connection = connection }

    /// Pages that have something in their gap, in order. Reads the file without the WAL: to be called
    /// when a truncating checkpoint has run since the rows were deleted; others may write meanwhile.
    package func pages() throws(StorageError) -> [Int] {
        var map = [UInt8](repeating: 0, count: Connection.pageSize)
        var page = map
        guard try connection.readPage(1, into: &page), Self.hasMaps(page) else { return [] }
        var found: [Int] = []
        var number = 1
        var current = 0
        while true {
            number += 1
            guard let entry = PageGap.map(of: number, pageSize: Connection.pageSize) else {
                continue
            }
            if number == entry.page || number == PageGap.lockPage(Connection.pageSize) { continue }
            if entry.page != current {
                guard try connection.readPage(entry.page, into: &map) else { return found }
                current = entry.page
            }
            guard PageGap.isTree(map[entry.offset]) else {
                // After the last page the map is empty.
                if map[entry.offset] == 0 { return found }
                continue
            }
            guard try connection.readPage(number, into: &page) else { return found }
            if Self.used(page) != nil { found.append(number) }
        }
    }

    /// Overwrites the gaps of some pages, also of those whose gap is empty: a sync that failed
    /// leaves zeros that are not on disk. On the connection that writes, outside a transaction.
    /// - Throws: `walHeld` where a reader keeps the WAL from being emptied
    package func clean(_ pages: ArraySlice<Int>, patience: Int32) throws(StorageError) {
        try connection.checkpoint(.truncate, patience: patience)
        try connection.execute("BEGIN IMMEDIATE")
        defer {
            connection.rollBack()
            // A cached page still has the old gap, and SQLite may write it back.
            connection.forgetPages()
        }
        var map = [UInt8](repeating: 0, count: Connection.pageSize)
        var page = map
        for number in pages {
            guard let entry = PageGap.map(of: number, pageSize: Connection.pageSize),
                try connection.readPage(entry.page, into: &map),
                PageGap.isTree(map[entry.offset]), try connection.readPage(number, into: &page),
                let gap = PageGap.range(in: page.span)
            else { continue }
            try connection.zero(gap, ofPage: number)
        }
        try connection.syncFile()
    }

    /// A file that can give pages back has pointer maps: then its header names the last root.
    private static func hasMaps(_ first: [UInt8]) -> Bool {
        first[52..<56].contains { $0 != 0 }
    }

    /// The page's gap, if there is anything in it.
    private static func used(_ page: [UInt8]) -> Range<Int>? {
        guard let gap = PageGap.range(in: page.span) else { return nil }
        return page[gap].contains { $0 != 0 } ? gap : nil
    }
}

/// The unused part of a page, which may still hold what it used to.
///
/// `secure_delete` overwrites a cell that is deleted, but not the copy that remains when SQLite
/// moves cells to another page because one is split: such a copy lies between the page's pointers and
/// its content (https://www.sqlite.org/fileformat2.html, 1.6), and would outlive its original.
package enum PageGap {
    /// The gap of a page of a b-tree; nil where its header makes no sense, or there is no gap.
    package static func range(in page: Span<UInt8>) -> Range<Int>? {
        guard page.count >= 12 else { return nil }
        let header: Int
        switch page[0] {
        case 2, 5: header = 12
        case 10, 13: header = 8
        default: return nil
        }
        let start = header + 2 * (Int(page[3]) << 8 | Int(page[4]))
        let content = Int(page[5]) << 8 | Int(page[6])
        guard start < content, content <= page.count else { return nil }
        return start..<content
    }

    /// The pointer map that has a page's kind (section 1.8 there): itself a page, before the
    /// pages it describes. Nil for the first page, which is in no map.
    package static func map(of page: Int, pageSize: Int) -> (page: Int, offset: Int)? {
        guard page > 1 else { return nil }
        let pagesPerMap = pageSize / 5 + 1
        var map = (page - 2) / pagesPerMap * pagesPerMap + 2
        if map == lockPage(pageSize) { map += 1 }
        return (map, 5 * (page - map - 1))
    }

    /// The page that is never used, since SQLite's locks are there.
    static func lockPage(_ pageSize: Int) -> Int { 0x4000_0000 / pageSize + 1 }

    /// The kind of the root of a b-tree in a map's entry.
    package static let root: UInt8 = 1

    /// Whether a kind in a map's entry is that of a page of a b-tree: its root, or another.
    static func isTree(_ kind: UInt8) -> Bool { kind == root || kind == 5 }
}
