import CSQLite
import Database
import Glibc
import Synchronization

/// Tells the system which pages of the database file will be read soon, so that the disk has many to fetch at
/// once: SQLite asks for one after the other, and the system, where it guesses, fetches much that nobody needs. A
/// hint that is wrong costs time and nothing else, and so does one that is not given: what it is made of is
/// looked at in the file alone, not in the WAL, and believed only as far as it fits.
package struct PageHints: ~Copyable {
    private let connection: Connection
    /// Has pages of the file fetched, from 1.
    private let fetch: (Range<Int>) -> Void
    /// How many pages the file has.
    private let pages: Int
    private var page = [UInt8](repeating: 0, count: Connection.pageSize)
    private var word = [UInt8](repeating: 0, count: 4)

    /// Pages of a chain that are asked for before it is known whether they belong to it: pages of a row mostly
    /// follow each other.
    private static let guess = 4
    /// The maximum of pages of one table, 128 MB: of more nothing is hinted.
    private static let maxPages = 1 << 15
    /// No tree of so many pages is deeper.
    private static let maxDepth = 20

    /// Nil where no hint can be given.
    /// - Parameters:
    ///   - connection: one that reads the file, in a transaction
    ///   - fetch: has pages fetched, counted from 1; nil: the system does
    package init?(_ connection: Connection, fetch: ((Range<Int>) -> Void)? = nil) {
        guard let found = OpenFiles.descriptor(of: connection.path) else { return nil }
        self.connection = connection
        pages = found.bytes / Connection.pageSize
        self.fetch =
            fetch ?? { run in
                let size = Connection.pageSize
                _ = posix_fadvise(
                    found.descriptor, (run.lowerBound - 1) * size, run.count * size,
                    POSIX_FADV_WILLNEED)
            }
    }

    /// All pages of a table or an index but the inner ones.
    package mutating func hint(all name: String) {
        guard let root = root(of: name) else { return }
        hint(leaves(of: root).map(\.page))
    }

    /// The pages of some rows of a table.
    /// - Parameter ends: up to which column, from 0, each is read
    package mutating func hint(rows: [Int64], of name: String, upTo column: Int) {
        guard let root = root(of: name) else { return }
        let leaves = leaves(of: root)
        var rowsOfPage: [Int: Set<Int64>] = [:]
        for row in rows {
            let index = leaves.partitioningIndex { $0.last >= row }
            if index < leaves.count { rowsOfPage[leaves[index].page, default: []].insert(row) }
        }
        hint(Array(rowsOfPage.keys))
        var chains: [OverflowChain] = []
        for (number, rows) in rowsOfPage.sorted(by: { $0.key < $1.key }) where read(number) {
            chains += TableLeaf(page).chains(of: rows, upTo: column)
        }
        follow(chains)
    }

    /// Hints chains of overflow pages, a few pages of each at a time.
    private mutating func follow(_ chains: [OverflowChain]) {
        var chains = chains
        while !chains.isEmpty {
            hint(chains.flatMap { $0.next..<$0.next + min($0.left, Self.guess) })
            for index in chains.indices {
                for _ in 0..<Self.guess where chains[index].left > 0 {
                    let number = chains[index].next
                    guard let following = following(number) else {
                        chains[index].left = 0
                        break
                    }
                    chains[index].next = following
                    chains[index].left -= 1
                    if following != number + 1 { break }
                }
            }
            chains.removeAll { $0.left <= 0 }
        }
    }

    /// The overflow page after one; nil where there is none.
    private mutating func following(_ number: Int) -> Int? {
        let isRead = try? connection.read(into: &word, ofPage: number)
        guard isRead == true else { return nil }
        let next = word.reduce(0) { $0 << 8 | Int($1) }
        return isPage(next) ? next : nil
    }

    private func isPage(_ number: Int) -> Bool { number > 1 && number <= pages }

    private mutating func read(_ number: Int) -> Bool {
        isPage(number) && (try? connection.readPage(number, into: &page)) == true
    }

    private func root(of name: String) -> Int? {
        let find = try? connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?1")
        guard let find else { return nil }
        guard (try? find.bind(1, name)) != nil, (try? find.step()) == true else { return nil }
        return Int(exactly: find.int(0))
    }

    /// The leaves below a page, in order, each with the last row that it may have; none where there are too many.
    private mutating func leaves(of root: Int) -> [(page: Int, last: Int64)] {
        var level: [(page: Int, last: Int64)] = [(root, .max)]
        var depth = 0
        while let first = level.first, read(first.page), BTreePage(page).isInner {
            depth += 1
            if depth > Self.maxDepth { return [] }
            var below: [(page: Int, last: Int64)] = []
            if level.count > 1 { hint(level.map(\.page)) }
            for inner in level where read(inner.page) {
                for child in BTreePage(page).children where isPage(child.page) {
                    below.append((child.page, child.last ?? inner.last))
                }
                if below.count > Self.maxPages { return [] }
            }
            level = below
        }
        return level
    }

    /// Has pages fetched, those that follow each other as one.
    private func hint(_ numbers: [Int]) {
        var run = 0..<0
        for number in numbers.sorted() where isPage(number) {
            if number < run.upperBound { continue }
            if number == run.upperBound, !run.isEmpty {
                run = run.lowerBound..<number + 1
            } else {
                if !run.isEmpty { fetch(run) }
                run = number..<number + 1
            }
        }
        if !run.isEmpty { fetch(run) }
    }
}

/// A row's overflow pages that are left.
struct OverflowChain {
    var next: Int
    var left: Int
}

extension Array {
    /// The index of the first element for which `belongs` holds; those for which it does stand at the end.
    fileprivate func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Descriptors that the process has anyway: one more could not be closed without losing SQLite's locks
/// (https://www.sqlite.org/howtocorrupt.html, 2.2).
private enum OpenFiles {
    private static let known = Mutex<[String: Int32]>([:])
    /// Of more files than a server has, paths are forgotten.
    private static let maxKnown = 64

    /// One of a file, and the file's length. By the time that it is used another file may have it: then a
    /// hint is wrong.
    static func descriptor(of path: String) -> (descriptor: Int32, bytes: Int)? {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return nil }
        func isIt(_ descriptor: Int32) -> Bool {
            var found = stat()
            return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino
                && found.st_dev == wanted.st_dev
        }
        let last = known.withLock { $0[path] }
        if let last, isIt(last) { return (last, Int(wanted.st_size)) }
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let descriptor = Int32(name), isIt(descriptor) else { continue }
            known.withLock { known in
                if known.count >= maxKnown { known = [:] }
                known[path] = descriptor
            }
            return (descriptor, Int(wanted.st_size))
        }
        return nil
    }
}
