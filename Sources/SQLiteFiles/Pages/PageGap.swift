/// Where pages of the file have room that nothing uses, and may hold what used to stand there.
///
/// `secure_delete` overwrites a cell that is deleted, but not the copy that stays behind when SQLite
/// moves cells to another page because one is split: such a copy lies between the page's pointers and
/// its content (https://www.sqlite.org/fileformat2.html, 1.6), and would outlive its original.
package enum PageGap {
    /// The gap of a page of a b-tree; nil where its header makes no sense, or nothing is free.
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

    /// The map of pages in which a page's kind stands (1.8 there): a page like any other, before the
    /// pages it tells of. Nil for the first page, which is in no map.
    package static func map(of page: Int, pageSize: Int) -> (page: Int, offset: Int)? {
        guard page > 1 else { return nil }
        let pagesPerMap = pageSize / 5 + 1
        var map = (page - 2) / pagesPerMap * pagesPerMap + 2
        if map == lockPage(pageSize) { map += 1 }
        return (map, 5 * (page - map - 1))
    }

    /// The page that is never used, since locks lie there.
    static func lockPage(_ pageSize: Int) -> Int { 0x4000_0000 / pageSize + 1 }

    /// What a map's entry says of the root of a b-tree.
    package static let root: UInt8 = 1

    /// Whether a map's entry says that a page is one of a b-tree: its root, or another.
    static func isTree(_ kind: UInt8) -> Bool { kind == root || kind == 5 }
}
