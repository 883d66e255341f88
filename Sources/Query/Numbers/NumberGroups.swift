import Database
import Storage

/// Numbers, and how often each came, by group; groups are numbered from 0. A number that came once or twice takes
/// eight bytes each time, one that came more often at once sixteen.
///
/// The numbers of a group stand on pages, each twice as long as the one before, whose first word links to the
/// one before. Pages are cut from blocks, so that nothing is copied when there are more.
struct NumberGroups: Sendable {
    /// By thread: the own first.
    private var pools = [Pool()]
    private var held: HeldBytes

    /// None yet.
    /// - Parameter account: of the report
    init(_ account: ReportAccount = .unbounded) { held = HeldBytes(account) }

    /// How many pools there are: as many as threads found some.
    private var poolCount: Int { pools.count }

    /// Adds a number to a group, as often as it came.
    @inline(__always)
    mutating func add(_ number: Double, times count: UInt32 = 1, to group: Int) {
        let word = NumberWord.word(of: number)
        if count < 3 {
            for _ in 0..<count { pools[0].append(word, to: group, &held) }
        } else {
            pools[0].append(NumberWord.word(ofTimes: count), word, to: group, &held)
        }
    }

    /// Adds those of another. Throws if the report has to end.
    /// - Parameter groups: the groups here, by the other's; as many at least as it has
    mutating func merge(_ other: NumberGroups, groups: [Int]) throws(StorageError) {
        let count = groups.reduce(0) { max($0, $1 + 1) }
        for var pool in other.pools {
            try held.account.check()
            var ends: [Pool.End] = []
            ends.append(repeating: Pool.End(), count, &held)
            for (end, group) in zip(pool.ends, groups) { ends[group] = end }
            pool.ends = ends
            pools.append(pool)
        }
        // What the other charged stays charged while its words are here.
        parts.append(other.held)
        parts += other.parts
    }

    /// Of those that were merged.
    private var parts: [HeldBytes] = []

    /// Has `body` add numbers to a share: all at once, or each pool's on any thread, to shares that are merged.
    /// Throws what `body` throws, and if the report has to end.
    /// - Parameters:
    ///   - isShared: whether all threads take part
    ///   - body: gets the pool for `forEach`
    func added<Share: ReportShare>(
        to empty: Share, isShared: Bool, _ reading: Reading,
        _ body: @escaping @Sendable (inout Share, _ pool: Int?) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        if isShared {
            return try reading.inParallel(poolCount, empty) { (share, pool) throws(StorageError) in
                try body(&share, pool)
            }
        }
        var share = empty
        try body(&share, nil)
        return share
    }

    /// Calls `body` with the numbers of a group and how often each came, in no order, a number
    /// perhaps more than once. Throws if the report has to end.
    /// - Parameter pool: only those of this one
    @inline(__always)
    func forEach(
        of group: Int, in pool: Int? = nil, _ reading: Reading, _ body: (Double, UInt32) -> Void
    ) throws(StorageError) {
        for index in pools.indices where pool ?? index == index {
            try pools[index].forEach(of: group, reading, body)
        }
    }
}

/// What one thread found.
private struct Pool: Sendable {
    /// Where a group's numbers end.
    struct End {
        /// Its last page.
        var page = PageLink.none
        /// How many words of it are in use.
        var used = 0
    }

    private var blocks: [[Int64]] = []
    /// How many words of the last block pages have.
    private var used = Self.blockLength
    /// By group.
    var ends: [End] = []

    private static let blockBits = 15
    private static var blockLength: Int { 1 << blockBits }
    /// Words of a page.
    private static let maxPageLength = 1 << 12

    @inline(__always)
    mutating func append(_ word: Int64, to group: Int, _ held: inout HeldBytes) {
        reserve(1, of: group, &held)
        put(word, group)
    }

    /// Appends two words that belong together.
    @inline(__always)
    mutating func append(
        _ first: Int64, _ second: Int64, to group: Int, _ held: inout HeldBytes
    ) {
        reserve(2, of: group, &held)
        put(first, group)
        put(second, group)
    }

    @inline(__always)
    private mutating func put(_ word: Int64, _ group: Int) {
        let index = ends[group].page.start &+ ends[group].used
        ends[group].used &+= 1
        blocks[index &>> Self.blockBits][index & (Self.blockLength &- 1)] = word
    }

    /// Sees to it that the group's last page has room for so many words.
    @inline(__always)
    private mutating func reserve(_ words: Int, of group: Int, _ held: inout HeldBytes) {
        if group < ends.count, ends[group].used &+ words <= ends[group].page.length { return }
        beginPage(of: group, words, &held)
    }

    @inline(never)
    private mutating func beginPage(of group: Int, _ words: Int, _ held: inout HeldBytes) {
        ends.append(repeating: End(), group + 1 - ends.count, &held)
        let last = ends[group].page
        while ends[group].used < last.length { put(NumberWord.nothing, group) }
        let length = min(max(last.length * 2, words == 1 ? 2 : 4), Self.maxPageLength)
        if used + length > Self.blockLength {
            held.add(Self.blockLength * MemoryLayout<Int64>.stride)
            blocks.append([Int64](repeating: 0, count: Self.blockLength), &held)
            used = 0
        }
        let start = (blocks.count - 1) << Self.blockBits | used
        blocks[blocks.count - 1][used] = last.word
        used += length
        ends[group] = End(page: PageLink(start: start, length: length), used: 1)
    }

    @inline(__always)
    func forEach(
        of group: Int, _ reading: Reading, _ body: (Double, UInt32) -> Void
    ) throws(StorageError) {
        guard group < ends.count else { return }
        var page = ends[group].page
        var used = ends[group].used
        while page.length > 0 {
            if page.length == Self.maxPageLength { try reading.check() }
            let block = blocks[page.start >> Self.blockBits]
            let start = page.start & (Self.blockLength - 1)
            var count: UInt32 = 1
            for index in start + 1..<start + used {
                let word = block[index]
                if let times = NumberWord.times(of: word) {
                    count = times
                } else {
                    body(NumberWord.number(of: word), count)
                    count = 1
                }
            }
            page = PageLink(word: block[start])
            used = page.length
        }
    }
}

/// A page: the index of its first word among the words of all blocks, and its length in words.
private struct PageLink {
    let start, length: Int

    static let none = PageLink(start: 0, length: 0)

    init(start: Int, length: Int) { (self.start, self.length) = (start, length) }

    init(word: Int64) { self.init(start: Int(word >> 16), length: Int(word & 0xffff)) }

    var word: Int64 { Int64(start) << 16 | Int64(length) }
}

/// What stands in a word: a number; or how often the number after it came, in the form of what is no number.
private enum NumberWord {
    /// The upper half of words that are no numbers: NaN in doubles.
    private static let mark: Int64 = 0x7ff8_0001

    /// Before which nothing follows.
    static let nothing = word(ofTimes: 1)

    static func word(of number: Double) -> Int64 { Int64(bitPattern: number.bitPattern) }

    static func word(ofTimes count: UInt32) -> Int64 { mark << 32 | Int64(count) }

    @inline(__always)
    static func times(of word: Int64) -> UInt32? {
        word >> 32 == mark ? UInt32(truncatingIfNeeded: word) : nil
    }

    static func number(of word: Int64) -> Double { Double(bitPattern: UInt64(bitPattern: word)) }
}
