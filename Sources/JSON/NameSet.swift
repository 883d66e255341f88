/// The names of all open objects' members, so that one that stands twice is found. An object of up
/// to `NameSet.threshold` is searched in line; a larger one has a table of its own, so that a text of n
/// bytes costs O(n) whatever its names.
struct NameSet: ~Copyable {
    /// How many names are compared one by one.
    static let threshold = 16
    /// Room that is kept for the next text.
    private static let kept = 1 << 14
    /// Slots of all tables that are kept for it.
    private static let keptSlots = 1 << 16

    /// A name; or, where an object begins, what has to be known of it.
    private struct Entry {
        /// Of the name; of an object the `base` of the one around it.
        var hash: UInt64
        /// Of the name; of an object the `mask`.
        var start: UInt32
        /// The name's end, doubled; odd if there are escapes.
        var endAndEscapes: UInt32
    }

    /// By pointer: an array would ask at every name whether somebody else holds it.
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 64
    private var count = 0
    /// Where the innermost object's names begin.
    private var base = 0
    /// The tables by depth: index in `entries` + 1, 0 is free. Only the first `mask + 1` slots count,
    /// none if that is 0.
    private var tables: [[UInt32]]
    /// Of all tables.
    private var slotCount = 0
    private var left: [UInt8] = []
    private var right: [UInt8] = []

    init(depthLimit: Int) {
        entries = .allocate(capacity: capacity)
        tables = Array(repeating: [], count: depthLimit + 1)
    }

    deinit { entries.deallocate() }

    /// Forgets everything, and gives back what an unusual text made it take.
    mutating func reset() {
        if capacity > NameSet.kept {
            entries.deallocate()
            capacity = NameSet.kept
            entries = .allocate(capacity: capacity)
        }
        if slotCount > NameSet.keptSlots {
            for depth in tables.indices { tables[depth] = [] }
            slotCount = 0
        }
        if left.count > NameSet.kept { left = [] }
        if right.count > NameSet.kept { right = [] }
        count = 0
        base = 0
    }

    /// The mask of the innermost object's table.
    private var mask: Int {
        get { Int(entries[base - 1].start) }
        set { entries[base - 1].start = UInt32(newValue) }
    }

    /// An object begins.
    @inline(__always)
    mutating func open() {
        if count == capacity { grow() }
        entries[count] = Entry(
            hash: UInt64(truncatingIfNeeded: base), start: 0, endAndEscapes: 0)
        count &+= 1
        base = count
    }

    /// The innermost object ends. There is one.
    @inline(__always)
    mutating func close() {
        count = base &- 1
        base = Int(truncatingIfNeeded: entries[count].hash)
    }

    /// Adds a name of the innermost object.
    /// - Returns: whether it is new.
    @inline(__always)
    mutating func insert(_ name: Text, hash: UInt64, depth: Int, _ bytes: Span<UInt8>) -> Bool {
        if count &- base >= NameSet.threshold {
            guard insertInTable(name, hash: hash, depth: depth, bytes) else { return false }
        } else {
            var at = base
            while at < count {
                if entries[at].hash == hash, isSame(at, name, bytes) { return false }
                at &+= 1
            }
        }
        if count == capacity { grow() }
        entries[count] = Entry(
            hash: hash, start: UInt32(truncatingIfNeeded: name.start),
            endAndEscapes: UInt32(truncatingIfNeeded: name.end) << 1 | (name.hasEscapes ? 1 : 0))
        count &+= 1
        return true
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * capacity)
        larger.update(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }

    @inline(never)
    private mutating func insertInTable(
        _ name: Text, hash: UInt64, depth: Int, _ bytes: Span<UInt8>
    ) -> Bool {
        precondition(base > 0)
        let names = count - base
        if 2 * (names + 1) > mask { rebuild(depth: depth, names: names) }
        let mask = mask
        var slot = Int(truncatingIfNeeded: hash) & mask
        while case let found = Int(tables[depth][slot]), found != 0 {
            if entries[found - 1].hash == hash, isSame(found - 1, name, bytes) { return false }
            slot = (slot + 1) & mask
        }
        tables[depth][slot] = UInt32(truncatingIfNeeded: count + 1)
        return true
    }

    private mutating func rebuild(depth: Int, names: Int) {
        var size = 8 * NameSet.threshold
        while size < 4 * (names + 1) { size *= 2 }
        if tables[depth].count < size {
            slotCount += size - tables[depth].count
            tables[depth] = [UInt32](repeating: 0, count: size)
        } else {
            for slot in 0..<size { tables[depth][slot] = 0 }
        }
        mask = size - 1
        for index in base..<count {
            var slot = Int(truncatingIfNeeded: entries[index].hash) & (size - 1)
            while tables[depth][slot] != 0 { slot = (slot + 1) & (size - 1) }
            tables[depth][slot] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    /// Whether the name at that index is the same string. Asked only where the hashes are equal.
    @inline(never)
    private mutating func isSame(_ index: Int, _ name: Text, _ bytes: Span<UInt8>) -> Bool {
        let entry = entries[index]
        let other = Text(
            start: Int(entry.start), end: Int(entry.endAndEscapes >> 1),
            hasEscapes: entry.endAndEscapes & 1 == 1)
        let ours = name.unescape(bytes, into: &left)
        let theirs = other.unescape(bytes, into: &right)
        return left[..<ours].elementsEqual(right[..<theirs])
    }
}
