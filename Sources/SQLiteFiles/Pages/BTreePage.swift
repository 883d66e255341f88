import Database

/// An inner page of a table or an index (https://www.sqlite.org/fileformat2.html, 1.6), read for hints.
struct BTreePage {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private enum Kind {
        static let innerIndex: UInt8 = 2
        static let innerTable: UInt8 = 5
        static let leafTable: UInt8 = 13
    }

    /// Whether it has pages below it. The file's first page, which begins with the header, is none of ours.
    var isInner: Bool { bytes[0] == Kind.innerTable || bytes[0] == Kind.innerIndex }

    /// Whether it has rows of a table.
    var isTableLeaf: Bool { bytes[0] == Kind.leafTable }

    /// The pages below it, in order, each with the last row that it may have; nil for the last of them, and in an
    /// index.
    var children: [(page: Int, last: Int64?)] {
        guard isInner else { return [] }
        var children: [(page: Int, last: Int64?)] = []
        for cell in cells(after: 12) {
            guard let page = word(at: cell) else { continue }
            var last: Int64?
            if bytes[0] == Kind.innerTable {
                var offset = cell + 4
                last = number(at: &offset)
            }
            children.append((page, last))
        }
        if let page = word(at: 8) { children.append((page, nil)) }
        return children
    }

    /// Where cells begin.
    /// - Parameter header: bytes of the page's header
    func cells(after header: Int) -> [Int] {
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard header + 2 * count <= bytes.count else { return [] }
        return (0..<count).map { index in
            Int(bytes[header + 2 * index]) << 8 | Int(bytes[header + 2 * index + 1])
        }
    }

    /// Four bytes, the highest first; nil beyond the end.
    func word(at offset: Int) -> Int? {
        guard offset >= 0, offset + 4 <= bytes.count else { return nil }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of one to nine bytes; nil beyond the end. `offset` goes on after it.
    func number(at offset: inout Int) -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard offset >= 0, offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }
}

/// A page with rows of a table.
struct TableLeaf {
    private let page: BTreePage

    init(_ bytes: [UInt8]) { page = BTreePage(bytes) }

    /// Bytes of a page that rows may use, and what of a row stands in the page where not all does.
    private static let usable = Connection.pageSize
    private static let maxLocal = usable - 35
    private static let minLocal = (usable - 12) * 32 / 255 - 23
    private static let perOverflowPage = usable - 4
    /// SQLite stores no larger row.
    private static let maxSize = 1 << 31

    /// The overflow pages of some rows.
    /// - Parameter column: up to which, from 0, they are read
    func chains(of rows: Set<Int64>, upTo column: Int) -> [OverflowChain] {
        guard page.isTableLeaf else { return [] }
        return page.cells(after: 8).compactMap { cell in
            var offset = cell
            guard let size = page.number(at: &offset).flatMap({ Int(exactly: $0) }),
                let row = page.number(at: &offset), rows.contains(row),
                (Self.maxLocal + 1..<Self.maxSize).contains(size)
            else { return nil }
            let short = Self.minLocal + (size - Self.minLocal) % Self.perOverflowPage
            let local = short <= Self.maxLocal ? short : Self.minLocal
            guard let first = page.word(at: offset + local) else { return nil }
            let end = min(self.end(of: column, at: offset, local) ?? size, size)
            let left = (end - local + Self.perOverflowPage - 1) / Self.perOverflowPage
            return left > 0 ? OverflowChain(next: first, left: left) : nil
        }
    }

    /// Where a column of a record ends; nil where its header says so nowhere.
    private func end(of column: Int, at start: Int, _ local: Int) -> Int? {
        var offset = start
        guard let header = page.number(at: &offset).flatMap({ Int(exactly: $0) }),
            header <= local
        else { return nil }
        var end = header
        for _ in 0...max(column, 0) {
            guard offset < start + header, let type = page.number(at: &offset) else { return nil }
            let (sum, isTooMuch) = end.addingReportingOverflow(Self.bytes(of: type))
            if isTooMuch { return nil }
            end = sum
        }
        return end
    }

    /// Bytes of a value, by its type.
    private static func bytes(of type: Int64) -> Int {
        switch type {
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 12...: Int(clamping: (type - 12) / 2)
        default: 0
        }
    }
}
